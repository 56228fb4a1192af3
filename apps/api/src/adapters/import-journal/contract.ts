import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ImportLeaseLostError } from "../../ports/catalog-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AbsentRule, ImportJournal, SealedImport } from "../../ports/import-journal.ts";

const leaseMs = 1000;
const sealed: SealedImport = {
  source: "marketplace-a",
  stagingFile: "x.staging",
  absent: "out_of_stock",
  position: 0,
  version: { url: "https://shop.example/feed", etag: '"v1"', lastModified: "yesterday" },
};

/** What every import journal must do; `openJournals` gives two owners over one store, and a third who writes. */
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
    test("is one owner's at a time, who is named to the others", async () => {
      expect(await one.acquire("a.xml", leaseMs)).toEqual({ acquired: true });
      expect(await other.acquire("b.xml", leaseMs)).toEqual({
        acquired: false,
        holder: { label: "a.xml", startedAtMs: nowMs },
      });
      await one.release();
      expect(await other.acquire("b.xml", leaseMs)).toEqual({ acquired: true });
    });

    test("passes on when it is not renewed, and is then lost", async () => {
      await one.acquire("a.xml", leaseMs);
      nowMs += leaseMs - 1;
      expect(await one.renew(leaseMs)).toBe(true);
      nowMs += leaseMs - 1;
      expect(await other.acquire("b.xml", leaseMs)).toMatchObject({ acquired: false });
      nowMs += 1;
      expect(await other.acquire("b.xml", leaseMs)).toEqual({ acquired: true });
      expect(await one.renew(leaseMs)).toBe(false);
      await expect(one.seal(sealed)).rejects.toThrow(ImportLeaseLostError);
      await expect(one.finish()).rejects.toThrow(ImportLeaseLostError);
      await one.release();
      expect(await other.renew(leaseMs)).toBe(true);
    });

    test("of two who ask at once goes to one", async () => {
      const leases = await Promise.all([one.acquire("a", leaseMs), other.acquire("b", leaseMs)]);
      expect(leases.filter(({ acquired }) => acquired)).toHaveLength(1);
    });
  });

  describe("a sealed import", () => {
    test("is handed to the next owner until it is finished", async () => {
      await one.acquire("a.xml", leaseMs);
      await one.seal(sealed);
      expect(await other.hasUnfinished()).toBe(false);
      await one.release();
      expect(await other.hasUnfinished()).toBe(true);
      expect(await other.acquire("b.xml", leaseMs)).toEqual({ acquired: true, unfinished: sealed });
      await other.finish();
      expect(await one.acquire("c.xml", leaseMs)).toMatchObject({ acquired: false });
      await other.release();
      expect(await one.acquire("c.xml", leaseMs)).toEqual({ acquired: true });
    });

    test("is seen as left behind when its lease has run out", async () => {
      await one.acquire("a.xml", leaseMs);
      await one.seal(sealed);
      nowMs += leaseMs;
      expect(await other.hasUnfinished()).toBe(true);
    });

    test("is finished while others write to the store", async () => {
      for (let round = 0; round < 20; round += 1) {
        await one.acquire("a.xml", leaseMs);
        await one.seal(sealed);
        let finished = false;
        const finishing = one.finish().finally(() => {
          finished = true;
        });
        while (!finished) await write();
        await finishing;
        await one.release();
      }
    });

    test("can be given up without a trace", async () => {
      await one.acquire("a.xml", leaseMs);
      await one.seal(sealed);
      await one.discard();
      await one.release();
      expect(await other.acquire("b.xml", leaseMs)).toEqual({ acquired: true });
      expect(await other.lastVersion("marketplace-a", "https://shop.example/feed", "keep")).toBeUndefined();
    });
  });

  describe("the version of a feed", () => {
    const importVersion = async (
      version: SealedImport["version"],
      source: SealedImport["source"] = "marketplace-a",
      absent: AbsentRule = "keep",
    ) => {
      await one.acquire("a.xml", leaseMs);
      await one.seal({ source, stagingFile: "x", absent, position: 0, ...(version && { version }) });
      await one.finish();
      await one.release();
    };

    test("is kept from the import that finished last, by source and address", async () => {
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

    test("counts only where as much was done with absent products", async () => {
      const known = (absent: AbsentRule) =>
        other.lastVersion("marketplace-a", "https://shop.example/feed", absent);
      await importVersion(sealed.version, "marketplace-a", "out_of_stock");
      expect(await known("remove")).toBeUndefined();
      await importVersion(sealed.version, "marketplace-a", "remove");
      expect(await known("remove")).toEqual(sealed.version);
      expect(await known("out_of_stock")).toEqual(sealed.version);
    });

    test("does not count for a full feed when it was not taken for one", async () => {
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

    test("is forgotten when another feed of the source came after it", async () => {
      await importVersion(sealed.version);
      await importVersion(undefined, "catalog");
      expect(await one.lastVersion("marketplace-a", "https://shop.example/feed", "keep")).toBeDefined();
      await importVersion(undefined);
      expect(await one.lastVersion("marketplace-a", "https://shop.example/feed", "keep")).toBeUndefined();
    });
  });
}
