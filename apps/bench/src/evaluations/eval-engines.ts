import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { createCluster } from "@product-search/opensearch/cluster/cluster.ts";
import { findBuiltIndex } from "@product-search/opensearch/cluster/index-names.ts";
import { keepIndex } from "@product-search/opensearch/cluster/keep-index.ts";
import { searchCluster } from "@product-search/opensearch/text-search/search.ts";
import {
  productsPerShard,
  textLayout,
  textRefreshInterval,
  toIndexSources,
} from "@product-search/opensearch/text-search/text-layout.ts";
import {
  createIndexWriter,
  createSegmentBuilder,
  emptySnapshot,
  type IndexDocument,
  newToSample,
  openIndex,
  type SearchQuery,
  type SearchResult,
  snapshotOf,
  type TextIndex,
} from "@product-search/text-index";
import { openJudgedDocuments } from "@product-search/text-index/bench/evaluate-relevance";
import { serviceLanguage } from "@product-search/text-search/service-languages.ts";
import { variedQueries } from "../engines/varied-queries.ts";
import { OptionError, wholeNumber } from "../support/whole-number.ts";
import { round } from "../text/figures.ts";
import { sampleDocuments } from "../text/sample-documents.ts";

export const help = `Usage: pnpm eval engines --search-url URL[,URL] [options]

Asks the embedded index and OpenSearch the same queries about the same sample products (filters, attributes,
paths, groups, rules, sorts, deep pages, facets, brands, typos) and counts the replies that differ. Ends with 1 when a
total or a facet does.

Options:
  --products N    products of the sample (default 20000)
  --queries N     (default 2000)
  --seed N        (default 1)
  --shards N      of the index in OpenSearch (default 1)
  --vocabulary N  products of the sample that nodes read queries by (default: all)
  --data FOLDER   instead of the sample: the judged queries of a folder in the WANDS layout, as \`pnpm eval relevance\` has them.
                  Reports NDCG@10 of both engines; ends with 1 when they differ by more than .02
  --json`;

const readBatch = 1000;
const mostNdcgApart = 0.02;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      "search-url": { type: "string" },
      products: { type: "string", default: "20000" },
      queries: { type: "string", default: "2000" },
      seed: { type: "string", default: "1" },
      shards: { type: "string", default: "1" },
      vocabulary: { type: "string" },
      data: { type: "string" },
      json: { type: "boolean" },
    },
  });
  const nodes = values["search-url"]?.split(",");
  if (nodes === undefined) throw new OptionError("--search-url: write the URL of an OpenSearch.");
  const shards = wholeNumber("--shards", values.shards);
  if (values.data !== undefined) {
    const relevance = await compareRelevance(nodes, values.data, indexOf, shards);
    if (values.json) console.log(JSON.stringify(relevance));
    else console.table(relevance);
    if (Math.abs(relevance.embedded - relevance.cluster) > mostNdcgApart) process.exitCode = 1;
    return;
  }
  const products = wholeNumber("--products", values.products);
  const count = wholeNumber("--queries", values.queries);
  const seed = wholeNumber("--seed", values.seed, 0);
  const size = wholeNumber("--vocabulary", values.vocabulary ?? values.products);
  const documents = [...sampleDocuments(products)];
  const embedded = indexOf(documents);
  const vocabulary = values.vocabulary === undefined ? embedded : sampleOf(documents, size);
  const cluster = await openClusterIndex(nodes, documents, shards);
  try {
    const queries = variedQueries(count, products, seed);
    const { examples, ...agreement } = await compareEngines(embedded, cluster, vocabulary, queries);
    const report = { products, vocabulary: vocabulary.documents, ...agreement };
    if (values.json) console.log(JSON.stringify({ ...report, examples }));
    else {
      console.table(report);
      for (const example of examples) console.log(JSON.stringify(example));
    }
    const { totalsDiffer, facetsDiffer } = agreement;
    if (totalsDiffer > 0 || facetsDiffer > 0) process.exitCode = 1;
  } finally {
    await cluster.close();
  }
}

function indexOf(documents: readonly IndexDocument[]): TextIndex {
  const builder = createSegmentBuilder();
  for (const document of documents) builder.add(document);
  return openIndex(snapshotOf(builder.build(), 0), undefined, [serviceLanguage]);
}

function sampleOf(documents: readonly IndexDocument[], size: number): TextIndex {
  const writer = createIndexWriter(emptySnapshot);
  for (let from = 0; from < documents.length; from += readBatch) {
    const batch = documents.slice(from, from + readBatch);
    const upserts = newToSample(openIndex(writer.snapshot), batch, {
      documents: size,
      words: 2 * size,
      names: 2 * size,
    });
    writer.apply({ upserts, deletes: [] }, from);
  }
  return openIndex(writer.snapshot, undefined, [serviceLanguage]);
}

interface RelevanceOfEngines {
  readonly queries: number;
  readonly embedded: number;
  readonly cluster: number;
  /** Queries whose first ten hits are not the same. */
  readonly firstTenDiffer: number;
}

/** NDCG@10 of both engines on the judged queries of a folder. */
async function compareRelevance(
  nodes: readonly string[],
  folder: string,
  indexOf: (documents: readonly IndexDocument[]) => TextIndex,
  shards: number,
): Promise<RelevanceOfEngines> {
  const { documents, queries, depth, judge } = openJudgedDocuments(folder, 5);
  // In an index, numbers of documents start at 1.
  const numbered = documents.map((document) => ({ ...document, id: document.id + 1 }));
  const embedded = indexOf(numbered);
  const cluster = await openClusterIndex(nodes, numbered, shards);
  const rows = { embedded: new Map<string, number[]>(), cluster: new Map<string, number[]>() };
  try {
    for (const text of queries) {
      const query: SearchQuery = { text, offset: 0, limit: depth, relatedCount: depth };
      rows.embedded.set(text, rowsOf(embedded.search(query), depth));
      rows.cluster.set(text, rowsOf(await cluster.search(embedded, query), depth));
    }
  } finally {
    await cluster.close();
  }
  const firstTen = (hits: number[] | undefined) => (hits ?? []).slice(0, 10).join();
  return {
    queries: queries.length,
    embedded: round(judge((text) => rows.embedded.get(text) ?? []).ndcgAt10, 4),
    cluster: round(judge((text) => rows.cluster.get(text) ?? []).ndcgAt10, 4),
    firstTenDiffer: queries.filter(
      (text) => firstTen(rows.embedded.get(text)) !== firstTen(rows.cluster.get(text)),
    ).length,
  };
}

/** The matches, followed by products with only some of the words, as on a page. */
function rowsOf({ rowIds: ids, relatedRowIds: relatedIds }: SearchResult, depth: number): number[] {
  return [...ids, ...relatedIds].slice(0, depth).map((id) => id - 1);
}

export interface Agreement {
  readonly queries: number;
  readonly totalsDiffer: number;
  readonly pagesDiffer: number;
  readonly facetsDiffer: number;
  /** Words that were corrected, dropped or unknown, and the thing that is absent. */
  readonly readingsDiffer: number;
  readonly relatedDiffer: number;
  /** The first queries with different totals, or else with any other difference. */
  readonly examples: readonly object[];
}

const maxExamples = 5;

const partsOf = ({
  rowIds: ids,
  facets,
  words,
  correctedText,
  absentThing,
  relatedRowIds: relatedIds,
  ...result
}: SearchResult) => ({
  totals: { total: result.total },
  pages: { ids, variants: result.groups },
  facets,
  readings: { words, correctedText, absentThing },
  related: relatedIds,
});

/** Runs the same queries on both engines. `vocabulary` is the cluster's knowledge of the catalog's words. */
async function compareEngines(
  embedded: TextIndex,
  cluster: ClusterIndex,
  vocabulary: TextIndex,
  queries: readonly SearchQuery[],
): Promise<Agreement> {
  const differ = { totals: 0, pages: 0, facets: 0, readings: 0, related: 0 };
  const examples: { query: SearchQuery; embedded: object; cluster: object }[] = [];
  for (const query of queries) {
    const one = partsOf(embedded.search(query));
    const other = partsOf(await cluster.search(vocabulary, query));
    for (const part of ["totals", "pages", "facets", "readings", "related"] as const) {
      if (isDeepStrictEqual(one[part], other[part])) continue;
      differ[part]++;
      if (examples.length < maxExamples)
        examples.push({ query, embedded: { [part]: one[part] }, cluster: { [part]: other[part] } });
    }
  }
  return {
    queries: queries.length,
    totalsDiffer: differ.totals,
    pagesDiffer: differ.pages,
    facetsDiffer: differ.facets,
    readingsDiffer: differ.readings,
    relatedDiffer: differ.related,
    examples,
  };
}

interface ClusterIndex {
  search(vocabulary: TextIndex, query: SearchQuery): Promise<SearchResult>;
  /** Deletes the index. */
  close(): Promise<void>;
}

/** Writes documents into a new index, as the service does. Resolves when they can be searched. */
async function openClusterIndex(
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
