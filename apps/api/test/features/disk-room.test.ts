import { readdirSync } from "node:fs";
import { ApiError } from "@product-search/core/errors.ts";
import { importFeed } from "@product-search/features/catalog-write/import/import-feed.ts";
import { discardImport, resumeImport } from "@product-search/features/catalog-write/import/roll-forward.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createImportFixture, type ImportFixture, nativeLine } from "../../testing/import-fixture.ts";

describe("disk room", () => {
  const never = () => new AbortController().signal;
  const mb = 1e6;
  const rows = (count: number, given = {}) =>
    Array.from({ length: count }, (_, at) => nativeLine(`k${at}`, given)).join("");
  /** 12 MB in products of 10 kB. */
  const large = () => rows(1200, { description: "x y ".repeat(2500) });

  let fixture: ImportFixture;
  beforeEach(async () => {
    fixture = await createImportFixture();
  });
  afterEach(() => fixture.close());
  const stagingFiles = () => readdirSync(fixture.deps.importsFolder).filter((name) => name.endsWith(".rows"));
  /** A disk with so much free space, less what is staged. */
  const limitDisk = (free: number, total: number) => {
    const { stagingArea } = fixture.deps;
    fixture.deps.readDiskSpace = async () => ({ free: free - (await stagingArea.usedBytes()), total });
  };

  describe("a feed that is too large to be staged", () => {
    test("is refused while it is read, by the limit that is set", async () => {
      fixture.deps.maxStagedBytes = 5 * mb;
      let read = 0;
      const feed = fixture.file(large());
      await expect(fixture.run(feed)).rejects.toThrow(
        /all staged feeds together take \d+ MB, and 5 MB are allowed/,
      );
      for (const { phase, done } of fixture.steps) if (phase === "reading") read = Math.max(read, done);
      expect(read).toBeLessThan(11 * mb);
      expect(await fixture.products()).toEqual([]);
      expect(stagingFiles()).toEqual([]);
      expect(await fixture.run(fixture.file(rows(3)))).toMatchObject({ created: 3 });
    });

    test("is refused by half of the free space", async () => {
      let looks = 0;
      fixture.deps.readDiskSpace = async () => ({
        free: looks++ === 0 ? 16 * mb : 900 * mb,
        total: 1000 * mb,
      });
      await expect(fixture.run(fixture.file(large()))).rejects.toThrow("8 MB are allowed");
    });

    test("counts with the feeds of others", async () => {
      fixture.deps.maxStagedBytes = 20 * mb;
      const other = await fixture.deps.stagingArea.create("marketplace-a");
      for (let index = 0; index < 1000; index += 1)
        other.addSeen("marketplace-a", "k".repeat(10_000) + index);
      const input = { source: "catalog", key: "a", removed: true } as const;
      for (let index = 0; index < 100_000; index += 1)
        other.add({ ...input, key: `k${index}`.padEnd(200, "x") });
      await expect(fixture.run(fixture.file(large()))).rejects.toThrow("20 MB are allowed");
      other.close();
    });
  });

  describe("a feed that would fill the disk when it is applied", () => {
    test("is not sealed, and says how much is missing", async () => {
      // 12 MB are staged, and the store would grow by twice as much; 100 MB stay free.
      limitDisk(130 * mb, 1000 * mb);
      await expect(fixture.run(fixture.file(large()))).rejects.toThrow(
        /11\d MB are free, and about 2\d MB are needed to apply this feed, besides 100 MB that stay free. Nothing was changed/,
      );
      expect(await fixture.products()).toEqual([]);
      expect(stagingFiles()).toEqual([]);
      expect(await resumeImport(fixture.deps, never())).toBeUndefined();
      limitDisk(145 * mb, 1000 * mb);
      expect(await fixture.run(fixture.file(large()))).toMatchObject({ created: 1200 });
    });

    test("needs less if its products are there already", async () => {
      expect(await fixture.run(fixture.file(large()))).toMatchObject({ created: 1200 });
      limitDisk(130 * mb, 1000 * mb);
      expect(await fixture.run(fixture.file(large()))).toMatchObject({ unchanged: 1200 });
    });

    test.each([
      [1000, 100],
      [10_000, 500],
      [100_000, 2000],
    ])("leaves a reserve on a disk of %i MB: %i MB", async (total, reserve) => {
      fixture.deps.readDiskSpace = async () => ({ free: (reserve - 1) * mb, total: total * mb });
      await expect(fixture.run(fixture.file(rows(3)))).rejects.toThrow(`besides ${reserve} MB`);
      fixture.deps.readDiskSpace = async () => ({ free: (reserve + 1) * mb, total: total * mb });
      expect(await fixture.run(fixture.file(rows(3)))).toMatchObject({ rows: 3 });
    });
  });

  describe("an import that waits for space on a full disk", () => {
    const fill = async () => {
      const { connection } = fixture.stores.database;
      connection.pragma(`max_page_count = ${Number(connection.pragma("page_count", { simple: true })) + 5}`);
      await expect(fixture.run(fixture.file(rows(500, { description: "x".repeat(500) })))).rejects.toThrow(
        "disk is full. The feed was read whole",
      );
      return () => connection.pragma("max_page_count = 1000000");
    };

    test("can be discarded, and keeps no other one waiting", async () => {
      const empty = await fill();
      expect(stagingFiles()).toHaveLength(1);
      expect(await discardImport(fixture.deps, "marketplace-a", () => {}, never())).toBeUndefined();
      expect(await discardImport(fixture.deps, "catalog", () => {}, never())).toMatchObject({
        source: "catalog",
      });
      expect(stagingFiles()).toEqual([]);
      expect(await resumeImport(fixture.deps, never())).toBeUndefined();
      expect(await discardImport(fixture.deps, "catalog", () => {}, never())).toBeUndefined();
      empty();
      expect(await fixture.run(fixture.file(nativeLine("new")))).toMatchObject({ created: 1 });
    });

    test("is discarded even if the lease can be written only after its file was removed", async () => {
      await fill();
      const { importJournal } = fixture.deps;
      const acquire: typeof importJournal.acquire = (...lease) =>
        stagingFiles().length > 0
          ? Promise.reject(Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" }))
          : importJournal.acquire(...lease);
      const deps = { ...fixture.deps, importJournal: { ...importJournal, acquire } };
      expect(await discardImport(deps, "catalog", () => {}, never())).toMatchObject({ source: "catalog" });
      expect(await resumeImport(fixture.deps, never())).toBeUndefined();
    });

    test("is finished by the process whose release of the lease failed, as soon as there is space", async () => {
      const { importJournal } = fixture.deps;
      fixture.deps.importJournal = {
        ...importJournal,
        release: () => Promise.reject(new Error("disk is full")),
      };
      const empty = await fill();
      fixture.deps.importJournal = importJournal;
      empty();
      await resumeImport(fixture.deps, never());
      expect(await fixture.products()).toHaveLength(500);
    });
  });
});

describe("lost database", () => {
  /** What a connection to PostgreSQL that broke looks like. */
  const lost = () =>
    new ApiError("unavailable", "The database cannot be reached at the moment. Send the request again.");

  let fixture: ImportFixture;
  let isLost: boolean;
  beforeEach(async () => {
    fixture = await createImportFixture();
    isLost = false;
  });
  afterEach(() => fixture.close());

  const feed = () => fixture.file(["a", "b", "c"].map((key) => nativeLine(key)).join(""));
  const never = () => new AbortController().signal;
  /** Fails from then on, before or after the work is done. */
  const losing =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>, when: "before" | "after") =>
    async (...given: Given): Promise<Result> => {
      isLost = true;
      if (when === "after") await work(...given);
      throw lost();
    };
  const run = async (path: string) => {
    const error = await fixture.run(path).catch((thrown: unknown) => thrown);
    return error instanceof Error ? error.message : "done";
  };
  const finishLater = () => resumeImport(fixture.deps, never());

  describe("an import that loses the database says whether it must be run again", () => {
    test("before it has the lease", async () => {
      const { importJournal } = fixture.deps;
      fixture.deps.importJournal = { ...importJournal, acquire: losing(importJournal.acquire, "before") };
      expect(await run(feed())).toMatch(/Nothing of this feed was imported.*Import it again/);
    });

    test("while the feed is read", async () => {
      const { stagingArea } = fixture.deps;
      fixture.deps.stagingArea = {
        ...stagingArea,
        create: losing(stagingArea.create, "before"),
        // The database is still away.
        clear: (...given) => (isLost ? Promise.reject(lost()) : stagingArea.clear(...given)),
        remove: (...given) => (isLost ? Promise.reject(lost()) : stagingArea.remove(...given)),
      };
      expect(await run(feed())).toMatch(/Nothing of this feed was imported.*Import it again/);
      fixture.deps.stagingArea = stagingArea;
      expect(await finishLater()).toBeUndefined();
    });

    test.each(["before", "after"] as const)("%s the feed is recorded as read", async (when) => {
      const { importJournal, stagingArea } = fixture.deps;
      fixture.deps.importJournal = { ...importJournal, seal: losing(importJournal.seal, when) };
      expect(await run(feed())).toMatch(/not known.*importing it again is safe/i);
      fixture.deps.importJournal = importJournal;
      fixture.deps.stagingArea = stagingArea;
      const applied = await finishLater();
      expect(applied?.created).toBe(when === "after" ? 3 : undefined);
    });

    test.each(["before", "after"] as const)("%s its last step", async (when) => {
      const { importJournal } = fixture.deps;
      fixture.deps.importJournal = { ...importJournal, finish: losing(importJournal.finish, when) };
      const message = await run(feed());
      expect(message).toMatch(/was read whole.*finishes it.*not.*import it again/i);
      expect(message).not.toContain("Send the request again");
      fixture.deps.importJournal = importJournal;
      await finishLater();
      expect(await fixture.products()).toHaveLength(3);
    });

    test("while products are written", async () => {
      const { catalogStore } = fixture.deps;
      fixture.deps.catalogStore = {
        ...catalogStore,
        applyEach: losing(catalogStore.applyEach, "before"),
        apply: losing(catalogStore.apply, "before"),
      };
      expect(await run(feed())).toMatch(/was read whole.*finishes it.*not.*import it again/i);
      fixture.deps.catalogStore = catalogStore;
      expect(await finishLater()).toMatchObject({ created: 3 });
    });

    test("while it finishes an earlier import", async () => {
      const { catalogStore, importJournal } = fixture.deps;
      fixture.deps.importJournal = { ...importJournal, finish: losing(importJournal.finish, "before") };
      await run(feed());
      expect(await run(feed())).toMatch(/earlier import.*This feed was not imported.*Import it again/);
      fixture.deps = { ...fixture.deps, catalogStore, importJournal };
      await finishLater();
      expect(await fixture.products()).toHaveLength(3);
    });

    test("after everything was applied, it has succeeded", async () => {
      const { importJournal } = fixture.deps;
      fixture.deps.importJournal = { ...importJournal, release: losing(importJournal.release, "before") };
      const observer = { onStep: () => {}, onReject: () => {}, onDiscarded: () => {} };
      const options = { feed: feed(), source: "catalog", absent: "keep" } as const;
      const summary = await importFeed(fixture.deps, options, observer, never());
      expect(summary).toMatchObject({ created: 3 });
    });
  });
});
