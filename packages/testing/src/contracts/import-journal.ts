import { ImportLeaseLostError } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { AbsentRule, ImportJournal, SealedImport } from "@product-search/core/ports/imports.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const leaseMs = 1000;
const sealed: SealedImport = {
  source: "marketplace-a",
  stagingFile: "x.staging",
  startedAtMs: 900_000,
  absent: "out_of_stock",
  position: 0,
  version: { url: "https://shop.example/feed", etag: '"v1"', lastModified: "yesterday" },
};

/** Tests for every import journal. `openJournals` returns two owners on one database, and another writer. */
export function describeImportJournal(
  openJournals: (
    clock: Clock,
  ) => Promise<{ one: ImportJournal; other: ImportJournal; write(): Promise<void>; close(): Promise<void> }>,
): void {
  let one: ImportJournal;
  let other: ImportJournal;
  let write: () => Promise<void>;
  let close: () => Promise<void>;
  let nowMs: number;
  beforeEach(async () => {
    nowMs = 1_000_000;
    ({ one, other, write, close } = await openJournals({ now: () => nowMs }));
  });
  afterEach(() => close());

  describe("the lease", () => {
    test("belongs to one owner at a time, which others can see", async () => {
      expect(await one.acquire("marketplace-a", "a.xml", leaseMs)).toEqual({ acquired: true });
      expect(await other.acquire("marketplace-a", "b.xml", leaseMs)).toEqual({
        acquired: false,
        holder: { label: "a.xml", startedAtMs: nowMs },
      });
      await one.release();
      expect(await other.acquire("marketplace-a", "b.xml", leaseMs)).toEqual({ acquired: true });
    });

    test("goes to another owner if it is not renewed, and is then lost", async () => {
      await one.acquire("marketplace-a", "a.xml", leaseMs);
      nowMs += leaseMs - 1;
      expect(await one.renew(leaseMs)).toBe(true);
      nowMs += leaseMs - 1;
      expect(await other.acquire("marketplace-a", "b.xml", leaseMs)).toMatchObject({ acquired: false });
      nowMs += 1;
      expect(await other.acquire("marketplace-a", "b.xml", leaseMs)).toEqual({ acquired: true });
      expect(await one.renew(leaseMs)).toBe(false);
      await expect(one.seal(sealed)).rejects.toThrow(ImportLeaseLostError);
      await expect(one.finish(true)).rejects.toThrow(ImportLeaseLostError);
      await one.release();
      expect(await other.renew(leaseMs)).toBe(true);
    });

    test("of another source is another one", async () => {
      await one.acquire("marketplace-a", "a.xml", leaseMs);
      expect(await other.acquire("catalog", "b.xml", leaseMs)).toEqual({ acquired: true });
      await other.seal({ ...sealed, source: "catalog", stagingFile: "y" });
      await one.seal(sealed);
      expect((await one.sealedFiles()).toSorted()).toEqual(["x.staging", "y"]);
      await other.release();
      expect(await other.findUnfinished()).toBe("catalog");
      expect(await one.renew(leaseMs)).toBe(true);
      await one.finish(true);
      expect(await one.sealedFiles()).toEqual(["y"]);
    });

    test("goes to one of two concurrent owners", async () => {
      const leases = await Promise.all([
        one.acquire("marketplace-a", "a", leaseMs),
        other.acquire("marketplace-a", "b", leaseMs),
      ]);
      expect(leases.filter(({ acquired }) => acquired)).toHaveLength(1);
    });
  });

  describe("a sealed import", () => {
    test("is given to the next owner until it is finished", async () => {
      await one.acquire("marketplace-a", "a.xml", leaseMs);
      await one.seal(sealed);
      expect(await other.findUnfinished()).toBeUndefined();
      await one.release();
      expect(await other.findUnfinished()).toBe("marketplace-a");
      expect(await other.acquire("marketplace-a", "b.xml", leaseMs)).toEqual({
        acquired: true,
        unfinished: sealed,
      });
      await other.finish(true);
      expect(await one.acquire("marketplace-a", "c.xml", leaseMs)).toMatchObject({ acquired: false });
      await other.release();
      expect(await one.acquire("marketplace-a", "c.xml", leaseMs)).toEqual({ acquired: true });
    });

    test("tells when fetching the newest one began, also after an older one was finished", async () => {
      expect(await one.newestStart("marketplace-a")).toBeUndefined();
      for (const startedAtMs of [900_000, 800_000]) {
        await one.acquire("marketplace-a", "a.xml", leaseMs);
        await one.seal({ ...sealed, startedAtMs });
        await one.finish(true);
        await one.release();
        expect(await other.newestStart("marketplace-a")).toBe(900_000);
      }
      expect(await other.newestStart("catalog")).toBeUndefined();
    });

    test("counts as interrupted after its lease has expired", async () => {
      await one.acquire("marketplace-a", "a.xml", leaseMs);
      await one.seal(sealed);
      nowMs += leaseMs;
      expect(await other.findUnfinished()).toBe("marketplace-a");
    });

    test("can be finished while others write to the database", async () => {
      for (let round = 0; round < 20; round += 1) {
        await one.acquire("marketplace-a", "a.xml", leaseMs);
        await one.seal(sealed);
        let finished = false;
        const finishing = one.finish(true).finally(() => {
          finished = true;
        });
        while (!finished) await write();
        await finishing;
        await one.release();
      }
    });

    test("can be discarded completely", async () => {
      await one.acquire("marketplace-a", "a.xml", leaseMs);
      await one.seal(sealed);
      await one.discard();
      await one.release();
      expect(await other.acquire("marketplace-a", "b.xml", leaseMs)).toEqual({ acquired: true });
      expect(await other.lastVersion("marketplace-a", "https://shop.example/feed", "keep")).toBeUndefined();
    });
  });

  describe("the version of a feed", () => {
    test("is not kept if rows were outdated", async () => {
      await one.acquire("marketplace-a", "a.xml", leaseMs);
      await one.seal(sealed);
      await one.finish(false);
      expect(await other.lastVersion("marketplace-a", "https://shop.example/feed", "keep")).toBeUndefined();
    });

    const importVersion = async (
      version: SealedImport["version"],
      source: SealedImport["source"] = "marketplace-a",
      absent: AbsentRule = "keep",
    ) => {
      await one.acquire("marketplace-a", "a.xml", leaseMs);
      await one.seal({
        source,
        stagingFile: "x",
        startedAtMs: 1,
        absent,
        position: 0,
        ...(version && { version }),
      });
      await one.finish(true);
      await one.release();
    };

    test("is stored for the import that finished last, by source and URL", async () => {
      await importVersion(sealed.version);
      expect(await other.lastVersion("marketplace-a", "https://shop.example/feed", "keep")).toEqual(
        sealed.version,
      );
      expect(await other.lastVersion("catalog", "https://shop.example/feed", "keep")).toBeUndefined();
      await importVersion({ url: "https://shop.example/feed" });
      expect(await other.lastVersion("marketplace-a", "https://shop.example/feed", "keep")).toEqual({
        url: "https://shop.example/feed",
      });
    });

    test("counts only if absent products were handled as strictly", async () => {
      const known = (absent: AbsentRule) =>
        other.lastVersion("marketplace-a", "https://shop.example/feed", absent);
      await importVersion(sealed.version, "marketplace-a", "out_of_stock");
      expect(await known("remove")).toBeUndefined();
      await importVersion(sealed.version, "marketplace-a", "remove");
      expect(await known("remove")).toEqual(sealed.version);
      expect(await known("out_of_stock")).toEqual(sealed.version);
    });

    test("does not count for a full feed if it was not imported as one", async () => {
      await importVersion(sealed.version);
      expect(
        await other.lastVersion("marketplace-a", "https://shop.example/feed", "out_of_stock"),
      ).toBeUndefined();
      await importVersion(sealed.version, "marketplace-a", "out_of_stock");
      expect(await other.lastVersion("marketplace-a", "https://shop.example/feed", "out_of_stock")).toEqual(
        sealed.version,
      );
      expect(await other.lastVersion("marketplace-a", "https://shop.example/feed", "keep")).toEqual(
        sealed.version,
      );
    });

    test("is removed when another feed of the source is imported", async () => {
      await importVersion(sealed.version);
      await importVersion(undefined, "catalog");
      expect(await one.lastVersion("marketplace-a", "https://shop.example/feed", "keep")).toBeDefined();
      await importVersion(undefined);
      expect(await one.lastVersion("marketplace-a", "https://shop.example/feed", "keep")).toBeUndefined();
    });
  });
}
