import { EventEmitter } from "node:events";
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import { createFairQueue, presentPayer } from "@product-search/core/mechanisms/fair-queue.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import { systemClock } from "@product-search/core/ports/clock.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { createSqliteCatalogStore } from "@product-search/stores/catalog-store/sqlite.ts";
import { openDatabase } from "@product-search/stores/database/open.ts";
import { createOutbox } from "@product-search/stores/database/outbox.ts";
import { describeTextSearch, type OpenTextSearch } from "@product-search/testing/contracts/text-search.ts";
import type { Languages, Snapshot, SynonymTable } from "@product-search/text-index";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { describeLanguages } from "../testing/contract-languages.ts";
import { type ChosenLanguages, languagesOfCatalog } from "./catalog-languages.ts";
import { createEmbeddedTextSearch, type EmbeddedSettings, type LongSearch } from "./embedded.ts";
import { followCatalog } from "./follow-catalog.ts";
import { serviceLanguage, serviceLanguages } from "./service-languages.ts";

const never = new AbortController().signal;

interface Service {
  readonly store: CatalogStore;
  readonly textSearch: TextSearch;
  changeSynonyms(synonyms: SynonymTable): void;
  readonly rebuildReason: string | undefined;
  /** Resolves when searches see everything in the database. */
  caughtUp(): Promise<void>;
  newest(): Snapshot;
  stop(): Promise<void>;
}

async function openStore(dataDir: string) {
  const { connection, close } = await openDatabase(dataDir);
  const outbox = createOutbox(connection, { publicUrl: "https://shop.example", currency: "USD" });
  return { store: createSqliteCatalogStore({ connection, clock: systemClock, outbox }), close };
}

/** All on one thread: the database, its follower, and the search with the snapshots. */
async function start(
  dataDir: string,
  onSaveError: (error: unknown) => void = (error) => {
    throw error;
  },
  languages: ChosenLanguages = [serviceLanguage],
  hereMs?: number,
): Promise<Service> {
  const { store, close } = await openStore(dataDir);
  const snapshots = new EventEmitter<{ snapshot: [Snapshot] }>();
  let sequence = -1;
  let newest: Snapshot | undefined;
  const synonyms = new EventEmitter<{ changed: [SynonymTable] }>();
  const settings: EmbeddedSettings = {
    subscribe: (receive) => snapshots.on("snapshot", receive),
    synonyms: (receive) => synonyms.on("changed", (table) => receive(() => table)),
  };
  const limit =
    hereMs === undefined ? undefined : { milliseconds: () => hereMs, beyond: inAnotherThread(settings) };
  const textSearch = createEmbeddedTextSearch({ ...settings, limit });
  const follower = await followCatalog({
    log: store,
    folder: join(dataDir, "text-index"),
    publish: (snapshot) => {
      newest = snapshot;
      snapshots.emit("snapshot", structuredClone(snapshot));
      sequence = snapshot.sequence;
    },
    onSaveError,
    pollMs: 5,
    languages,
  });
  return {
    store,
    textSearch,
    changeSynonyms: (table) => synonyms.emit("changed", table),
    rebuildReason: follower.rebuildReason,
    newest() {
      if (newest === undefined) throw new Error("There is no index.");
      return newest;
    },
    caughtUp: () =>
      vi.waitFor(async () => expect(sequence).toBe(await store.lastSequence()), { timeout: 60_000 }),
    stop: async () => {
      await follower.stop();
      await close();
    },
  };
}

/** Its queries and replies are copied, as between threads. */
function inAnotherThread(settings: EmbeddedSettings): LongSearch {
  const other = createEmbeddedTextSearch(settings);
  return {
    search: async (query, signal) => structuredClone(await other.search(structuredClone(query), signal)),
    suggest: async (query, signal) => structuredClone(await other.suggest(structuredClone(query), signal)),
    findBrands: async (text, most) => structuredClone(await other.findBrands(text, most)),
  };
}

const lamp = (key: string): ProductInput => ({
  source: "catalog",
  key,
  name: `Lamp ${key}`,
  storeName: "Lichthaus",
  description: "",
  url: `/${key}`,
  images: [],
  priceMinor: 100,
  availability: "in_stock",
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "text-search-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function openForContract(languages?: Languages, hereMs?: number): Promise<OpenTextSearch> {
  const dataDir = await mkdtemp(join(tmpdir(), "text-search-"));
  const service = await start(dataDir, undefined, languages, hereMs);
  return {
    textSearch: service.textSearch,
    changeSynonyms: service.changeSynonyms,
    add: async (inputs) => {
      await service.store.apply(inputs);
      await service.caughtUp();
    },
    setPopularity: async (values) => {
      const products = await service.store.scan(0, 1000);
      const changed = products.flatMap(({ rowId, key }) => {
        const popularity = values[key];
        return popularity === undefined ? [] : [{ rowId, popularity }];
      });
      await service.store.setPopularity(changed);
      await service.caughtUp();
    },
    keyOf: async (rowId) => (await service.store.findByRowIds([rowId]))[0]?.key ?? "absent",
    close: async () => {
      await service.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

describe("with a limit of time for this thread that ends many searches somewhere", () => {
  describeTextSearch(() => openForContract(undefined, 0.05));
});

describe("the embedded text search", () => {
  describeTextSearch(openForContract);
  describeLanguages(openForContract);

  test("responds with 503 until there is an index", async () => {
    const textSearch = createEmbeddedTextSearch({ subscribe: () => {} });
    await expect(textSearch.wordFrequency("lamp")).rejects.toMatchObject({ code: "unavailable" });
  });

  test("starts again from the saved index, and applies the changes since then", async () => {
    const dataDir = await temporaryFolder();
    const first = await start(dataDir);
    await first.store.apply([lamp("a")]);
    await first.caughtUp();
    await first.stop();
    const other = await openStore(dataDir);
    await other.store.apply([lamp("b")]);
    await other.close();
    const second = await start(dataDir);
    expect(second.rebuildReason).toBeUndefined();
    expect(await second.textSearch.wordFrequency("lamp")).toBe(2);
    await second.stop();
  });

  test("leaves out a product that cannot be read, and includes it when it can be read again", async () => {
    const dataDir = await temporaryFolder();
    const { connection, close } = await openDatabase(dataDir);
    const outbox = createOutbox(connection, { publicUrl: "https://shop.example", currency: "USD" });
    const store = createSqliteCatalogStore({ connection, clock: systemClock, outbox });
    await store.apply([lamp("a"), lamp("b")]);
    connection.exec("update products set images = '' where key = 'a'");
    const service = await start(dataDir);
    expect(await service.textSearch.wordFrequency("lamp")).toBe(1);
    connection.exec("update products set images = '' where key = 'b'");
    connection.exec(
      "insert or replace into changes (product_row_id) select row_id from products where key = 'b'",
    );
    await service.caughtUp();
    expect(await service.textSearch.wordFrequency("lamp")).toBe(0);
    await store.applyEach([lamp("a"), lamp("b"), lamp("c")]);
    await service.caughtUp();
    expect(await service.textSearch.wordFrequency("lamp")).toBe(3);
    await service.stop();
    await close();
  });

  test("rebuilds the index for other languages", async () => {
    const dataDir = await temporaryFolder();
    const products = [{ ...lamp("a"), name: "Schreibtischlampen" }];
    const first = await start(dataDir);
    await first.store.apply(products);
    await first.caughtUp();
    expect(await first.textSearch.wordFrequency("lampe")).toBe(0);
    await first.stop();
    const second = await start(dataDir, undefined, serviceLanguages(["de"]));
    expect(second.rebuildReason).toBe("it belongs to another store or to other languages");
    expect(await second.textSearch.wordFrequency("lampe")).toBe(1);
    await second.stop();
    const third = await start(dataDir, undefined, serviceLanguages(["de"]));
    expect(third.rebuildReason).toBeUndefined();
    await third.stop();
  });

  test("rebuilds the index when an import brings other languages, and searches in these", async () => {
    const dataDir = await temporaryFolder();
    const service = await start(dataDir, undefined, languagesOfCatalog);
    await service.store.apply(
      ["a", "b", "c", "d"].map((key) => ({ ...lamp(key), name: `Wooden lamp with a shade ${key}` })),
    );
    await service.caughtUp();
    expect(service.newest().languages).toEqual(["en"]);
    const names = [
      ...["Vestido de niña con lunares", "Falda plisada de niña", "Camiseta de algodón para mujer"],
      ...["Chaqueta con capucha", "Pantalones cortos de niño", "Vestido azul para mujer", "Zapatos de piel"],
    ];
    await service.store.apply(
      names.flatMap((name, at) => [1, 2, 3].map((n) => ({ ...lamp(`${at}-${n}`), name }))),
    );
    await vi.waitFor(() => expect(service.newest().languages).toEqual(["es", "en"]), { timeout: 60_000 });
    const query = { filters: {}, sort: "relevance", offset: 0, limit: 20 } as const;
    const total = async (text: string) => {
      const hits = await service.textSearch.search({ ...query, text }, new AbortController().signal);
      return [hits.total, hits.correctedText, hits.droppedWords];
    };
    expect(await total("vestido niña")).toEqual([3, undefined, []]);
    expect(await total("vestidos azules")).toEqual([3, undefined, []]);
    expect(await total("lamps")).toEqual([4, undefined, []]);
    await service.stop();
    const again = await start(dataDir, undefined, languagesOfCatalog);
    expect(again.rebuildReason).toBeUndefined();
    await again.stop();
  });

  test("continues searching if the index cannot be saved, and reports it", async () => {
    const dataDir = await temporaryFolder();
    const faults: unknown[] = [];
    // A file instead of the folder, so that nothing can be written: a full disk fails in the same place.
    await writeFile(join(dataDir, "text-index"), "");
    const service = await start(dataDir, (error) => void faults.push(error));
    await service.store.apply([lamp("a")]);
    await service.caughtUp();
    await service.stop();
    // As soon as it was built, and at the end.
    expect(faults).toHaveLength(2);
    expect(await service.textSearch.wordFrequency("lamp")).toBe(1);
  });

  test("rebuilds the index if a saved file is damaged or belongs to another catalog", async () => {
    const dataDir = await temporaryFolder();
    const first = await start(dataDir);
    await first.store.apply([lamp("a")]);
    await first.caughtUp();
    await first.stop();
    const folder = join(dataDir, "text-index");
    const segment = (await readdir(folder)).find((file) => file.includes("segment")) ?? "";
    await writeFile(join(folder, segment), "nonsense");
    const second = await start(dataDir);
    expect(second.rebuildReason).toContain("size");
    expect(await second.textSearch.wordFrequency("lamp")).toBe(1);
    await second.stop();
    for (const suffix of ["", "-wal", "-shm"])
      await rm(join(dataDir, `store.sqlite${suffix}`), { force: true });
    const third = await start(dataDir);
    expect(third.rebuildReason).toBe("it belongs to another store or to other languages");
    expect(await third.textSearch.wordFrequency("lamp")).toBe(0);
    await third.stop();
  });
});

test("the first searches of a thread may take longer there, each one less", async () => {
  const service = await start(await temporaryFolder());
  await service.store.apply([lamp("a")]);
  await service.caughtUp();
  const elsewhere: string[] = [];
  const refuse = (what: string) => () => {
    elsewhere.push(what);
    return Promise.reject(new Error("elsewhere"));
  };
  const beyond = { search: refuse("search"), suggest: refuse("suggest"), findBrands: refuse("brands") };
  const startThread = (warmUpMs: number) =>
    createEmbeddedTextSearch({
      subscribe: (receive) => receive(service.newest()),
      limit: { milliseconds: () => 0, warmUpMs, beyond },
    });
  const query = { text: "lamp", filters: {}, sort: "relevance", offset: 0, limit: 5 } as const;
  const cold = startThread(60_000);
  for (let at = 0; at < 2; at++) expect((await cold.search(query, never)).total).toBe(1);
  expect(elsewhere).toEqual([]);
  // Of the thousandth, one search would have to end within a ten-thousandth of a millisecond.
  const warm = startThread(0.1);
  const searchAll = async () => {
    for (let at = 0; at < 1000; at++) await warm.search(query, never);
  };
  await expect(searchAll()).rejects.toThrow("elsewhere");
  expect(elsewhere).toEqual(["search"]);
  await service.stop();
});

test("the caller who has used most is the first to search in another thread", async () => {
  const service = await start(await temporaryFolder());
  await service.store.apply([lamp("a"), lamp("b")]);
  await service.caughtUp();
  const elsewhere = () => Promise.reject(new Error("elsewhere"));
  const textSearch = createEmbeddedTextSearch({
    subscribe: (receive) => receive(service.newest()),
    limit: {
      milliseconds: (documents, share) => (documents === 2 && share < 1 / 2 ? 60_000 : 0),
      beyond: { search: elsewhere, suggest: elsewhere, findBrands: elsewhere },
    },
  });
  const queue = createFairQueue();
  const searchAs = (caller: string, usedMs: number) =>
    queue.run(
      caller,
      () => never,
      () => {
        presentPayer()?.charge(usedMs);
        return textSearch.search(
          { text: "lamp", filters: {}, sort: "relevance", offset: 0, limit: 5 },
          never,
        );
      },
    );
  await expect(searchAs("most", 10_000)).rejects.toThrow("elsewhere");
  expect((await searchAs("other", 1000)).total).toBe(2);
  await service.stop();
});

test("searches of one request give way to those of others", async () => {
  const service = await start(await temporaryFolder());
  await service.store.apply([lamp("a")]);
  await service.caughtUp();
  const queue = createFairQueue({ sliceMs: 0.001 });
  const order: string[] = [];
  const request = (name: string, searches: number) =>
    queue.run(
      name,
      () => never,
      async () => {
        for (let at = 0; at < searches; at++) {
          await service.textSearch.wordFrequency("lamp");
          order.push(name);
        }
      },
    );
  // The first search of a thread is charged what it compiles.
  await request("first", 10);
  await Promise.all([request("long", 1000), request("short", 1)]);
  expect(order.indexOf("short")).toBeLessThan(500);
  await service.stop();
});

test("the index is complete with what there was at the start, although changes keep coming", async () => {
  const dataDir = await temporaryFolder();
  const { store, close } = await openStore(dataDir);
  let products = 0;
  const write = async () => {
    products += 1;
    if (products > 100) throw new Error("The start waits for changes that come later.");
    await store.apply([lamp(String(products))]);
  };
  const log = {
    ...store,
    async changesAfter(sequence: number, limit: number) {
      await write();
      return store.changesAfter(sequence, limit);
    },
    async countBySource() {
      await write();
      return store.countBySource();
    },
  };
  const folder = join(dataDir, "text-index");
  const follow = () =>
    followCatalog({ log, folder, publish: () => {}, onSaveError: () => {}, pollMs: 10_000 });
  for (let start = 0; start < 3; start++) {
    await write();
    const follower = await follow();
    if (start > 0) expect(follower.rebuildReason).toBeUndefined();
    expect(await follower.searchableSequence()).toBeGreaterThan(0);
    await follower.stop();
  }
  await close();
});

test("an index with other products than the catalog is rebuilt", async () => {
  const dataDir = await temporaryFolder();
  const { store, close } = await openStore(dataDir);
  await store.apply([lamp("a"), lamp("b"), lamp("c")]);
  const folder = join(dataDir, "text-index");
  const follow = (log: typeof store) =>
    followCatalog({ log, folder, publish: () => {}, onSaveError: () => {} });
  // The first index lacks two products.
  await (await follow({ ...store, scan: async (after) => store.scan(after, after === 0 ? 1 : 0) })).stop();
  const follower = await follow(store);
  expect(follower.rebuildReason).toBe("it has other products than the catalog");
  await follower.stop();
  const again = await follow(store);
  expect(again.rebuildReason).toBeUndefined();
  await again.stop();
  await close();
});

test("an index is saved as soon as it is built, for a process that is killed", async () => {
  const dataDir = await temporaryFolder();
  const { store, close } = await openStore(dataDir);
  await store.apply([lamp("a")]);
  const follow = (folder: string) =>
    followCatalog({
      log: store,
      folder,
      publish: () => {},
      onSaveError: () => {},
      saveAfterIdleMs: Infinity,
    });
  const folder = join(dataDir, "text-index");
  const first = await follow(folder);
  await vi.waitFor(async () => expect(await readdir(folder)).toContain("manifest.json"), { timeout: 60_000 });
  const leftByKill = await temporaryFolder();
  await cp(folder, leftByKill, { recursive: true });
  const second = await follow(leftByKill);
  expect(second.rebuildReason).toBeUndefined();
  await first.stop();
  await second.stop();
  await close();
});

test("continuous changes are indexed in few batches without delay", async () => {
  const dataDir = await temporaryFolder();
  const { store, close } = await openStore(dataDir);
  const published: { sequence: number; atMs: number }[] = [];
  const follower = await followCatalog({
    log: store,
    folder: join(dataDir, "text-index"),
    publish: ({ sequence }) => published.push({ sequence, atMs: performance.now() }),
    onSaveError: (error) => {
      throw error;
    },
  });
  const committed: { sequence: number; atMs: number }[] = [];
  for (let n = 0; n < 80; n++) {
    await store.apply([lamp(String(n))]);
    committed.push({ sequence: await store.lastSequence(), atMs: performance.now() });
    await delay(30);
  }
  const last = committed.at(-1)?.sequence;
  await vi.waitFor(() => expect(published.at(-1)?.sequence).toBe(last), { timeout: 60_000 });
  await follower.stop();
  await close();
  const waits = committed.map(({ sequence, atMs }) => {
    const found = published.find((snapshot) => snapshot.sequence >= sequence);
    return (found?.atMs ?? Number.POSITIVE_INFINITY) - atMs;
  });
  // It takes half a second on an idle machine.
  expect(Math.max(...waits)).toBeLessThan(20_000);
  // A batch waits at least a tenth of a second. On a busy machine the changes, and so the batches, take longer.
  const lengthMs = (committed.at(-1)?.atMs ?? 0) - (committed[0]?.atMs ?? 0);
  expect(new Set(published.map(({ sequence }) => sequence)).size).toBeLessThan(3 + lengthMs / 100);
});
