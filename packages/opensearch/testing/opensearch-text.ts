import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import { systemClock } from "@product-search/core/ports/clock.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { createSqliteCatalogStore } from "@product-search/stores/catalog-store/sqlite.ts";
import { openDatabase } from "@product-search/stores/database/open.ts";
import { createOutbox } from "@product-search/stores/database/outbox.ts";
import type { SampleSize, Snapshot, SynonymTable } from "@product-search/text-index";
import type { ChosenLanguages } from "@product-search/text-search/catalog-languages.ts";
import { createEmbeddedTextSearch } from "@product-search/text-search/embedded.ts";
import { followCatalog } from "@product-search/text-search/follow-catalog.ts";
import { serviceLanguage } from "@product-search/text-search/service-languages.ts";
import { findBuiltIndex } from "../src/cluster/index-names.ts";
import { type KeepTextIndexSettings, keepTextIndex } from "../src/text-search/keep-text-index.ts";
import { createOpenSearchTextSearch } from "../src/text-search/opensearch.ts";
import { openTestIndex, soleLease, type TestIndex } from "./opensearch.ts";

export interface TextOnOpenSearch extends TestIndex {
  readonly store: CatalogStore;
  readonly textSearch: TextSearch;
  /** Only for `textSearch`. */
  changeSynonyms(synonyms: SynonymTable): void;
  /** The embedded engine with the same catalog, or only its vocabulary if that is a sample. */
  readonly embedded: TextSearch;
  /** Resolves when searches see everything in the database. */
  caughtUp(): Promise<void>;
  /** Starts a writer; returns the function to stop it. */
  startWriter(settings?: Partial<KeepTextIndexSettings>): () => Promise<void>;
}

const fail = (error: unknown) => {
  throw error;
};

/** A catalog in SQLite, its vocabulary, and its products in OpenSearch, with no writer yet. */
export async function openTextOnOpenSearch(
  sample?: SampleSize,
  languages: ChosenLanguages = [serviceLanguage],
): Promise<TextOnOpenSearch> {
  const test = openTestIndex();
  const { cluster, alias } = test;
  const dataDir = await mkdtemp(join(tmpdir(), "opensearch-"));
  const { connection, close } = await openDatabase(dataDir);
  const outbox = createOutbox(connection, { publicUrl: "https://shop.example", currency: "USD" });
  const store = createSqliteCatalogStore({ connection, clock: systemClock, outbox });
  const receivers: Array<(snapshot: Snapshot) => void> = [];
  const synonymReceivers: Array<(synonyms: SynonymTable) => void> = [];
  let published: Snapshot | undefined;
  const subscribe = (receive: (snapshot: Snapshot) => void) => {
    if (published !== undefined) receive(published);
    receivers.push(receive);
  };
  const follower = await followCatalog({
    log: store,
    folder: join(dataDir, "vocabulary"),
    publish: (snapshot) => {
      published = snapshot;
      for (const receive of receivers) receive(snapshot);
    },
    onSaveError: fail,
    pollMs: 5,
    languages,
    ...(sample !== undefined && { sample }),
  });
  const writers: Array<() => Promise<void>> = [];
  return {
    ...test,
    store,
    textSearch: createOpenSearchTextSearch({
      cluster,
      index: alias,
      subscribe,
      synonyms: (receive) => synonymReceivers.push((table) => receive(() => table)),
    }),
    changeSynonyms: (table) => {
      for (const receive of synonymReceivers) receive(table);
    },
    embedded: createEmbeddedTextSearch({ subscribe }),
    caughtUp: async () => {
      const last = await store.lastSequence();
      const isBehind = async () =>
        ((await findBuiltIndex(cluster, alias))?.sequence ?? -1) < last || (published?.sequence ?? -1) < last;
      while (await isBehind()) await setTimeout(10);
      await cluster.request({ method: "POST", path: `/${alias}/_refresh` });
    },
    startWriter: (settings) => {
      const stopping = new AbortController();
      const ended = keepTextIndex(
        {
          cluster,
          alias,
          languages,
          log: store,
          lease: soleLease,
          markAt: async () => "test",
          onRefused: fail,
          onNewerLayout: fail,
          onError: () => {},
          pollMs: 5,
          ...settings,
        },
        stopping.signal,
      );
      const stop = async () => {
        stopping.abort();
        await ended.catch((error: unknown) => {
          if (!stopping.signal.aborted) throw error;
        });
      };
      writers.push(stop);
      return stop;
    },
    close: async () => {
      for (const stop of writers) await stop();
      await follower.stop();
      await close();
      await test.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
