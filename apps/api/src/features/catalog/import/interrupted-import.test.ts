import { existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createImportFixture, type ImportFixture, nativeLine } from "../../../../testing/import-fixture.ts";
import { composeImport } from "../../../compose/import.ts";
import { composeSqliteStores } from "../../../compose/stores/sqlite-stores.ts";
import { readConfig } from "../../../config.ts";
import type { AbsentRule } from "../../../ports/import-journal.ts";
import { StagingDamaged } from "../../../ports/staging.ts";
import { importFeed } from "./import-feed.ts";
import { resumeImport } from "./resume-import.ts";

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
    ["a row", (file: string) => void new Sqlite(file).prepare("update staged set input = '{'").run()],
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
  test("run one after the other: the second waits for the first", async () => {
    const config = readConfig({ DATA_DIR: fixture.dataDir, LOG_LEVEL: "silent" });
    const others = await composeSqliteStores(config);
    const otherDeps = composeImport(config, others);
    const feed = fixture.file(rows(300));
    const waited: string[] = [];
    const observer = {
      ...quiet,
      onStep: ({ phase, label }: { phase: string; label?: string }) => {
        if (phase === "waiting") waited.push(label ?? "");
      },
    };
    let second: Promise<unknown> | undefined;
    const startSecond = {
      ...quiet,
      onStep: () => {
        second ??= importFeed(
          otherDeps,
          { feed, source: "marketplace-a", absent: "keep" },
          observer,
          never(),
        );
      },
    };
    await importFeed(fixture.deps, { feed, source: "catalog", absent: "keep" }, startSecond, never());
    await second;
    expect(waited[0]).toBe(`${feed} into catalog`);
    expect(await fixture.stores.catalogStore.countBySource()).toMatchObject({
      catalog: 300,
      "marketplace-a": 300,
    });
    await otherDeps.close();
    await others.close();
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
          ...(await stagingArea.create()),
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
