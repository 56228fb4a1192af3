import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { createCluster } from "@product-search/opensearch/cluster/cluster.ts";
import { findBuiltIndex } from "@product-search/opensearch/cluster/index-names.ts";
import { keepIndex } from "@product-search/opensearch/cluster/keep-index.ts";
import { searchCluster } from "@product-search/opensearch/text-search/search.ts";
import {
  productsPerShard,
  textLayout,
  textRefreshInterval,
} from "@product-search/opensearch/text-search/text-layout.ts";
import { toIndexSources } from "@product-search/opensearch/text-search/to-index-source.ts";
import type { IndexDocument, SearchQuery, SearchResult, TextIndex } from "@product-search/text-index";

export interface ClusterIndex {
  search(vocabulary: TextIndex, query: SearchQuery): Promise<SearchResult>;
  /** Deletes the index. */
  close(): Promise<void>;
}

/** Writes documents into a new index, as the service does. Resolves when they can be searched. */
export async function openClusterIndex(
  nodes: readonly string[],
  documents: readonly IndexDocument[],
  shards = 1,
): Promise<ClusterIndex> {
  const cluster = createCluster({ nodes });
  const alias = `bench-${randomBytes(6).toString("hex")}`;
  const stopping = new AbortController();
  const byGroup = Map.groupBy(documents, ({ group }) => group);
  const kept = keepIndex(
    {
      cluster,
      alias,
      lease: { job: "text-index", number: 1, isHeld: async () => true },
      version: 1,
      layout: textLayout(),
      shards: { chosen: shards, entriesEach: productsPerShard },
      refreshInterval: textRefreshInterval,
      source: {
        identity: "bench",
        markAt: async () => "bench",
        lastSequence: async () => 1,
        changesAfter: async () => [],
        read: async () => [],
        scan: async (after, limit) => {
          const from = documents.findIndex(({ id }) => id > after);
          return from < 0 ? [] : toIndexSources(documents.slice(from, from + limit));
        },
        groups: {
          membersOf: async (keys) =>
            new Map(keys.map((key) => [key, toIndexSources(byGroup.get(key) ?? [])])),
        },
      },
      onRefused: (id, reason) => {
        throw new Error(`Document ${id} was refused: ${reason}`);
      },
      onError: (error) => console.error(error),
      onNewerLayout: () => {},
    },
    stopping.signal,
  );
  while ((await Promise.race([findBuiltIndex(cluster, alias), kept])) === undefined) await setTimeout(50);
  return {
    search: (vocabulary, query) => searchCluster({ cluster, index: alias }, vocabulary, query, undefined),
    close: async () => {
      stopping.abort();
      await kept;
      const response = await cluster.request({ method: "GET", path: `/${alias}*/_alias` });
      const names = typeof response === "object" && response !== null ? Object.keys(response) : [];
      for (const name of names) await cluster.request({ method: "DELETE", path: `/${name}` });
      await cluster.close();
    },
  };
}
