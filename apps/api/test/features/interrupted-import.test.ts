import { existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { productId } from "@product-search/core/domain/identity.ts";
import type { ProductSource } from "@product-search/core/domain/product.ts";
import { type AbsentRule, StagingDamaged } from "@product-search/core/ports/imports.ts";
import {
  type ImportFeedDeps,
  type ImportFeedOptions,
  importFeed,
} from "@product-search/features/catalog-write/import/import-feed.ts";
import type { ImportStep } from "@product-search/features/catalog-write/import/import-summary.ts";
import { resumeImport } from "@product-search/features/catalog-write/import/roll-forward.ts";
import { deleteProduct } from "@product-search/features/catalog-write/remove-products.ts";
import { upsertProducts } from "@product-search/features/catalog-write/write/upsert-products.ts";
import * as Sqlite from "@product-search/stores/database/sqlite.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { composeImport } from "../../src/compose/import.ts";
import { composeSqliteStores } from "../../src/compose/stores/sqlite-stores.ts";
import { readConfig } from "../../src/config.ts";
import { createImportFixture, type ImportFixture, nativeLine } from "../../testing/import-fixture.ts";

const quiet = { onStep: () => {}, onReject: () => {}, onDiscarded: () => {} };
const rows = (count: number, given = {}) =>
  Array.from({ length: count }, (_, at) => nativeLine(`k${at}`, given)).join("");
const never = () => new AbortController().signal;

let fixture: ImportFixture;
beforeEach(async () => {
  fixture = await createImportFixture();
});
afterEach(() => fixture.close());

/** Stops while applying, like Ctrl-C. */
async function interrupt(feed: string, absent: AbsentRule = "keep"): Promise<void> {
  const stopping = new AbortController();
  const observer = {
    ...quiet,
    onStep: (step: { phase: string }) => step.phase === "applying" && stopping.abort(),
  };
  const options = { feed, source: "catalog", absent } as const;
  await expect(
    importFeed(fixture.deps, options, { ...quiet, ...observer }, stopping.signal),
  ).rejects.toThrow();
}

describe("an import that is interrupted while applying", () => {
  test("is finished by the service", async () => {
    await interrupt(fixture.file(rows(300)));
    expect((await fixture.products()).length).toBeLessThan(300);
    const applied = await resumeImport(fixture.deps, never());
    expect(applied?.created).toBeGreaterThan(0);
    expect(await fixture.products()).toHaveLength(300);
    expect(await resumeImport(fixture.deps, never())).toBeUndefined();
  });

  test("is finished by the next import before that one changes anything", async () => {
    await fixture.run(fixture.file(nativeLine("absent")));
    await interrupt(fixture.file(rows(300)), "out_of_stock");
    await fixture.run(fixture.file(nativeLine("k299", { price: 5 })));
    const products = await fixture.products();
    expect(products).toHaveLength(301);
    expect(products.find(({ key }) => key === "k299")).toMatchObject({ priceMinor: 500 });
    expect(products.find(({ key }) => key === "absent")).toMatchObject({ availability: "out_of_stock" });
    expect(fixture.steps.map(({ phase }) => phase)).toContain("finishing");
  });

  test("is discarded with a message if its staging file was removed", async () => {
    const message = /interrupted import into catalog is gone.*import the feed again/i;
    await interrupt(fixture.file(rows(300)));
    rmSync(fixture.deps.importsFolder, { recursive: true });
    await expect(resumeImport(fixture.deps, never())).rejects.toThrow(message);
    expect(await resumeImport(fixture.deps, never())).toBeUndefined();
    await interrupt(fixture.file(rows(300)));
    rmSync(fixture.deps.importsFolder, { recursive: true });
    await fixture.run(fixture.file(nativeLine("b")));
    expect((await fixture.products()).some(({ key }) => key === "b")).toBe(true);
    expect(fixture.discarded).toEqual([expect.stringMatching(message)]);
  });

  test("fails if its own staging file is gone", async () => {
    const { stagingArea } = fixture.deps;
    fixture.deps.stagingArea = { ...stagingArea, open: async () => undefined };
    await expect(fixture.run(fixture.file(rows(3)))).rejects.toThrow("is gone");
  });

  test("is discarded if its staging file cannot even be opened", async () => {
    const { stagingArea } = fixture.deps;
    await interrupt(fixture.file(rows(300)));
    const open = () => Promise.reject(new StagingDamaged("The copy is damaged."));
    const deps = { ...fixture.deps, stagingArea: { ...stagingArea, open } };
    await expect(resumeImport(deps, never())).rejects.toThrow("is damaged");
    expect(await resumeImport(deps, never())).toBeUndefined();
  });
});

describe("a damaged staging file", () => {
  test.each([
    ["all of it", (file: string) => writeFileSync(file, "no database".repeat(1000))],
    ["its end", (file: string) => truncateSync(file, 8192)],
    [
      "a row",
      (file: string) => void new Sqlite.Database(file).prepare("update staged set input = '{'").run(),
    ],
  ])("(%s) is discarded with a message", async (_, damage) => {
    await interrupt(fixture.file(rows(300)));
    const [name] = readdirSync(fixture.deps.importsFolder);
    damage(join(fixture.deps.importsFolder, name ?? ""));
    await expect(resumeImport(fixture.deps, never())).rejects.toThrow(
      /interrupted import into catalog is damaged.*import the feed again/i,
    );
    expect(await resumeImport(fixture.deps, never())).toBeUndefined();
    await fixture.run(fixture.file(nativeLine("b")));
    expect((await fixture.products()).some(({ key }) => key === "b")).toBe(true);
  });

  test("does not block another import", async () => {
    await interrupt(fixture.file(rows(300)));
    const [name] = readdirSync(fixture.deps.importsFolder);
    writeFileSync(join(fixture.deps.importsFolder, name ?? ""), "no database");
    await fixture.run(fixture.file(nativeLine("b")));
    expect((await fixture.products()).some(({ key }) => key === "b")).toBe(true);
    expect(fixture.discarded).toEqual([expect.stringContaining("is damaged")]);
  });
});

describe("a product that cannot be applied", () => {
  const poison = (price: number) =>
    `create trigger poison before insert on products when new.price_minor = ${price} begin select raise(abort, 'poison'); end`;

  test("does not stop its import, nor the next one", async () => {
    fixture.stores.database.connection.exec(poison(666));
    const feed = fixture.file(`${rows(300)}${nativeLine("bad", { price: 6.66 })}${nativeLine("good")}`);
    expect(await fixture.run(feed)).toMatchObject({ rows: 302, created: 301, failed: 1 });
    expect(await fixture.products()).toHaveLength(301);
    expect(await fixture.run(feed)).toMatchObject({ unchanged: 301, failed: 1 });
    const { letters } = await fixture.stores.deadLetters.list({ limit: 10 });
    expect(letters).toMatchObject([
      { queue: "imports", error: expect.stringContaining("poison"), failures: 2 },
    ]);
  });

  test("does not stop an interrupted import", async () => {
    const { connection } = fixture.stores.database;
    await interrupt(fixture.file(rows(300, { price: 6.66 })));
    const applied = (await fixture.products()).length;
    connection.exec(poison(666));
    expect(await resumeImport(fixture.deps, never())).toMatchObject({ created: 0, failed: 300 - applied });
    expect(await resumeImport(fixture.deps, never())).toBeUndefined();
  });
});

describe("an import that is interrupted while reading", () => {
  test("changes nothing and leaves nothing", async () => {
    const stopping = new AbortController();
    const observer = { ...quiet, onStep: () => stopping.abort() };
    const options = { feed: fixture.file(rows(300)), source: "catalog", absent: "out_of_stock" } as const;
    await expect(importFeed(fixture.deps, options, observer, stopping.signal)).rejects.toThrow();
    expect(await fixture.products()).toEqual([]);
    expect(await resumeImport(fixture.deps, never())).toBeUndefined();
    await fixture.run(fixture.file(nativeLine("a")));
    expect(await fixture.products()).toHaveLength(1);
  });
});

describe("two imports at once", () => {
  const startOther = async (source: ProductSource, feed: string) => {
    const others = await composeSqliteStores(readConfig({ DATA_DIR: fixture.dataDir, LOG_LEVEL: "silent" }));
    const deps = composeImport(readConfig({ DATA_DIR: fixture.dataDir, LOG_LEVEL: "silent" }), others);
    const phases: string[] = [];
    const onStep = ({ phase, label = "" }: ImportStep) => void phases.push(`${phase} ${label}`.trim());
    const imported = importFeed(deps, { feed, source, absent: "keep" }, { ...quiet, onStep }, never());
    const close = async () => {
      await deps.close();
      await others.close();
    };
    return { imported: imported.finally(close), phases };
  };

  test("into one source are read at the same time and applied one after the other", async () => {
    const { importJournal } = fixture.deps;
    await importJournal.acquire("catalog", "held", 60_000);
    const { imported, phases } = await startOther("catalog", fixture.file(rows(300)));
    while (!phases.includes("waiting held")) await setTimeout(5);
    expect(phases).toContain("sorting");
    expect(await fixture.products()).toEqual([]);
    await importJournal.release();
    expect(await imported).toMatchObject({ created: 300 });
  });

  test("into two sources do not wait for each other", async () => {
    const { importJournal } = fixture.deps;
    await importJournal.acquire("catalog", "held", 60_000);
    const { imported, phases } = await startOther("marketplace-a", fixture.file(rows(300)));
    expect(await imported).toMatchObject({ created: 300 });
    expect(phases).not.toContain("waiting held");
    await importJournal.release();
  });

  test("leave each other's files alone", async () => {
    let stagedByOther = 0;
    const { stagingArea } = fixture.deps;
    const files = () => readdirSync(fixture.deps.importsFolder).filter((name) => name.endsWith(".rows"));
    const onStep = async ({ phase }: ImportStep) => {
      if (phase === "sorting") stagedByOther = files().length;
    };
    const slow = await stagingArea.create("catalog");
    const feed = fixture.file(rows(3));
    await importFeed(
      fixture.deps,
      { feed, source: "catalog", absent: "keep" },
      { ...quiet, onStep },
      never(),
    );
    expect(stagedByOther).toBe(2);
    expect(files()).toEqual([slow.name]);
    slow.close();
  });
});

/** Imports `feed`, but applies it only after `meanwhile`. */
const overtaken = (
  feed: string,
  meanwhile: () => Promise<unknown>,
  options: Partial<ImportFeedOptions> = {},
) => {
  const { stagingArea } = fixture.deps;
  const deps: ImportFeedDeps = {
    ...fixture.deps,
    ...fixture.stores.importParts(fixture.deps.importsFolder),
    stagingArea: {
      ...stagingArea,
      async create(source) {
        const file = await stagingArea.create(source);
        const seal = async (signal: AbortSignal) => {
          await file.seal(signal);
          await setTimeout(5);
          await meanwhile();
        };
        return { ...file, seal };
      },
    },
  };
  return importFeed(deps, { feed, source: "catalog", absent: "keep", ...options }, quiet, never());
};
const pricesByKey = async () =>
  Object.fromEntries((await fixture.products()).map(({ key, priceMinor }) => [key, priceMinor]));

describe("a feed whose fetching began before that of another one", () => {
  test("undoes nothing that the newer one wrote, and changes the rest", async () => {
    await fixture.run(fixture.file(["a", "b", "c"].map((key) => nativeLine(key, { price: 1 })).join("")));
    const older = fixture.file(["a", "b"].map((key) => nativeLine(key, { price: 2 })).join(""));
    const newer = () =>
      fixture.run(fixture.file(nativeLine("a", { price: 3 }) + nativeLine("d", { price: 3 })));
    const summary = await overtaken(older, newer, { absent: "remove_without_limit" });
    expect(summary).toMatchObject({ updated: 1, outdated: 2, removedAbsent: 1 });
    expect(await pricesByKey()).toEqual({ a: 300, b: 200, d: 300 });
  });

  test("is applied whole if the other one is into another source, or began earlier", async () => {
    const older = fixture.file(nativeLine("a", { price: 2 }));
    const other = () => fixture.run(fixture.file(nativeLine("a", { price: 3 })), { source: "marketplace-a" });
    expect(await overtaken(older, other)).toMatchObject({ created: 1, outdated: 0 });
    // The inner one begins later and is finished first; then the next one is the newest.
    await overtaken(older, () => fixture.run(fixture.file(nativeLine("a", { price: 4 }))));
    expect(await fixture.run(older)).toMatchObject({ updated: 1, outdated: 0 });
  });

  test("keeps its place in the order when it is finished by another process", async () => {
    await fixture.run(fixture.file(rows(300, { price: 1 })));
    const { connection } = fixture.stores.database;
    await interrupt(fixture.file(rows(300, { price: 2 })));
    const left = (await fixture.products()).filter(({ priceMinor }) => priceMinor === 100);
    const newer = left.at(-1)?.id ?? "";
    await setTimeout(5);
    const now = Date.now();
    connection.exec(`update feeds set imported_at = ${now} where url = '';
      update products set price_minor = 300, updated_at = ${now} where id = '${newer}'`);
    expect(await resumeImport(fixture.deps, never())).toMatchObject({
      updated: left.length - 1,
      outdated: 1,
    });
    expect(await fixture.stores.catalogStore.findById(newer)).toMatchObject({ priceMinor: 300 });
  });
});

describe("a product that was written directly after the fetching of a feed began", () => {
  const write = (...products: object[]) =>
    upsertProducts(writeDeps(), { products: products.map((row) => ({ ...row })) });
  const writeDeps = () => {
    const { catalogStore: catalogWrites, ...stores } = fixture.stores;
    return { ...stores, catalogWrites, currency: "USD" };
  };
  const lamp = (key: string, price: number) => ({ ...Object(JSON.parse(nativeLine(key, { price }))) });
  test("is neither changed, deleted nor created again by it, and is by a later one", async () => {
    await fixture.run(
      fixture.file(["a", "b", "c", "d"].map((key) => nativeLine(key, { price: 1 })).join("")),
    );
    const feed = fixture.file(["a", "b", "c"].map((key) => nativeLine(key, { price: 2 })).join(""));
    const meanwhile = async () => {
      // "a" is changed, "b" is found as it is, "c" is deleted, "d" and "e" are not in the feed.
      expect(await write(lamp("a", 3), lamp("b", 1), lamp("d", 4), lamp("e", 5))).toMatchObject({
        ...{ changed: 2, unchanged: 1, created: 1 },
      });
      await deleteProduct(writeDeps(), productId("catalog", "c"));
    };
    const summary = await overtaken(feed, meanwhile, { absent: "remove_without_limit" });
    expect(summary).toMatchObject({ updated: 0, created: 0, outdated: 5, removedAbsent: 0 });
    expect(await pricesByKey()).toEqual({ a: 300, b: 100, d: 400, e: 500 });
    await setTimeout(5);
    expect(await fixture.run(feed, { absent: "remove_without_limit" })).toMatchObject({ outdated: 0 });
    expect(await pricesByKey()).toEqual({ a: 200, b: 200, c: 200 });
  });

  test("keeps its place beside two feeds that overlap, in either order", async () => {
    await fixture.run(fixture.file(["a", "b"].map((key) => nativeLine(key, { price: 1 })).join("")));
    const older = fixture.file(["a", "b"].map((key) => nativeLine(key, { price: 2 })).join(""));
    const newer = fixture.file(["a", "b"].map((key) => nativeLine(key, { price: 3 })).join(""));
    // Written before the newer feed is fetched: that one may change it, the older one may not.
    await overtaken(older, async () => {
      await write(lamp("a", 9));
      await setTimeout(5);
      await fixture.run(newer);
    });
    expect(await pricesByKey()).toEqual({ a: 300, b: 300 });
    // Written after both were fetched: neither may.
    await overtaken(older, () => overtaken(newer, () => write(lamp("a", 8), lamp("b", 3))));
    expect(await pricesByKey()).toEqual({ a: 800, b: 300 });
  });

  test("has rows with only prices left out, too", async () => {
    await fixture.run(fixture.file(nativeLine("a", { price: 1 })));
    const stock = fixture.file("id,price,availability\na,2 USD,out_of_stock\n");
    expect(await overtaken(stock, () => write(lamp("a", 7)))).toMatchObject({ outdated: 1 });
    expect(await pricesByKey()).toEqual({ a: 700 });
  });
});

describe("a full disk", () => {
  test("while reading changes nothing and says what to do", async () => {
    const { stagingArea } = fixture.deps;
    const deps = {
      ...fixture.deps,
      stagingArea: {
        ...stagingArea,
        create: async () => ({
          ...(await stagingArea.create("catalog")),
          add: () => {
            throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
          },
        }),
      },
    };
    const options = { feed: fixture.file(rows(3)), source: "catalog", absent: "keep" } as const;
    await expect(importFeed(deps, options, quiet, never())).rejects.toThrow(
      /disk is full. Nothing was changed/,
    );
    expect(await fixture.products()).toEqual([]);
  });

  test("while applying leaves the rest for later, and loses nothing", async () => {
    const { connection } = fixture.stores.database;
    const pages = Number(connection.pragma("page_count", { simple: true }));
    connection.pragma(`max_page_count = ${pages + 5}`);
    const feed = fixture.file(rows(500, { description: "x".repeat(500) }));
    const { importJournal } = fixture.deps;
    // On a full disk, even this cannot be written.
    const release = () => Promise.reject(new Error("database or disk is full"));
    fixture.deps.importJournal = { ...importJournal, release };
    await expect(fixture.run(feed)).rejects.toThrow(/disk is full. The feed was read whole/);
    await importJournal.release();
    const acquire = () => Promise.reject(Object.assign(new Error("disk I/O error"), { code: "SQLITE_FULL" }));
    fixture.deps.importJournal = { ...importJournal, acquire };
    await expect(fixture.run(feed)).rejects.toThrow(/disk is full. Free space and import again/);
    fixture.deps.importJournal = importJournal;
    expect((await fixture.products()).length).toBeLessThan(500);
    connection.pragma("max_page_count = 1000000");
    await resumeImport(fixture.deps, never());
    expect(await fixture.products()).toHaveLength(500);
    expect(existsSync(join(fixture.dataDir, "store.sqlite"))).toBe(true);
  });
});
