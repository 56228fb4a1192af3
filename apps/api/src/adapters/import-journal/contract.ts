import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ImportTakenOver } from "../../ports/catalog-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ImportJournal, SealedImport } from "../../ports/import-journal.ts";

const leaseMs = 1000;
const sealed: SealedImport = {
  source: "marketplace-a",
  stagingFile: "x.staging",
  isFull: true,
  position: 0,
  version: { url: "https://shop.example/feed", etag: '"v1"', lastModified: "yesterday" },
};

/** What every import journal must do; `openJournals` gives two claimants over one store, and a third who writes. */
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

  describe("the claim", () => {
    test("is one claimant's at a time, who is named to the others", async () => {
      expect(await one.claim("a.xml", leaseMs)).toEqual({ claimed: true });
      expect(await other.claim("b.xml", leaseMs)).toEqual({
        claimed: false,
        holder: { label: "a.xml", startedAtMs: nowMs },
      });
      await one.release();
      expect(await other.claim("b.xml", leaseMs)).toEqual({ claimed: true });
    });

    test("passes on when it is not renewed, and is then lost", async () => {
      await one.claim("a.xml", leaseMs);
      nowMs += leaseMs - 1;
      expect(await one.renew(leaseMs)).toBe(true);
      nowMs += leaseMs - 1;
      expect(await other.claim("b.xml", leaseMs)).toMatchObject({ claimed: false });
      nowMs += 1;
      expect(await other.claim("b.xml", leaseMs)).toEqual({ claimed: true });
      expect(await one.renew(leaseMs)).toBe(false);
      await expect(one.seal(sealed)).rejects.toThrow(ImportTakenOver);
      await expect(one.finish()).rejects.toThrow(ImportTakenOver);
      await one.release();
      expect(await other.renew(leaseMs)).toBe(true);
    });

    test("of two who ask at once goes to one", async () => {
      const claims = await Promise.all([one.claim("a", leaseMs), other.claim("b", leaseMs)]);
      expect(claims.filter(({ claimed }) => claimed)).toHaveLength(1);
    });
  });

  describe("a sealed import", () => {
    test("is handed to the next claimant until it is finished", async () => {
      await one.claim("a.xml", leaseMs);
      await one.seal(sealed);
      expect(await other.hasUnfinished()).toBe(false);
      await one.release();
      expect(await other.hasUnfinished()).toBe(true);
      expect(await other.claim("b.xml", leaseMs)).toEqual({ claimed: true, unfinished: sealed });
      await other.finish();
      expect(await one.claim("c.xml", leaseMs)).toMatchObject({ claimed: false });
      await other.release();
      expect(await one.claim("c.xml", leaseMs)).toEqual({ claimed: true });
    });

    test("is seen as left behind when its lease has run out", async () => {
      await one.claim("a.xml", leaseMs);
      await one.seal(sealed);
      nowMs += leaseMs;
      expect(await other.hasUnfinished()).toBe(true);
    });

    test("is finished while others write to the store", async () => {
      for (let round = 0; round < 20; round += 1) {
        await one.claim("a.xml", leaseMs);
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
      await one.claim("a.xml", leaseMs);
      await one.seal(sealed);
      await one.discard();
      await one.release();
      expect(await other.claim("b.xml", leaseMs)).toEqual({ claimed: true });
      expect(await other.lastVersion("marketplace-a", "https://shop.example/feed", false)).toBeUndefined();
    });
  });

  describe("the version of a feed", () => {
    const importVersion = async (
      version: SealedImport["version"],
      source: SealedImport["source"] = "marketplace-a",
      isFull = false,
    ) => {
      await one.claim("a.xml", leaseMs);
      await one.seal({ source, stagingFile: "x", isFull, position: 0, ...(version && { version }) });
      await one.finish();
      await one.release();
    };

    test("is kept from the import that finished last, by source and address", async () => {
      await importVersion(sealed.version);
      expect(await other.lastVersion("marketplace-a", "https://shop.example/feed", false)).toEqual(
        sealed.version,
      );
      expect(await other.lastVersion("catalog", "https://shop.example/feed", false)).toBeUndefined();
      await importVersion({ url: "https://shop.example/feed" });
      expect(await other.lastVersion("marketplace-a", "https://shop.example/feed", false)).toEqual({
        url: "https://shop.example/feed",
      });
    });

    test("does not count for a full feed when it was not taken for one", async () => {
      await importVersion(sealed.version);
      expect(await other.lastVersion("marketplace-a", "https://shop.example/feed", true)).toBeUndefined();
      await importVersion(sealed.version, "marketplace-a", true);
      expect(await other.lastVersion("marketplace-a", "https://shop.example/feed", true)).toEqual(
        sealed.version,
      );
      expect(await other.lastVersion("marketplace-a", "https://shop.example/feed", false)).toEqual(
        sealed.version,
      );
    });

    test("is forgotten when another feed of the source came after it", async () => {
      await importVersion(sealed.version);
      await importVersion(undefined, "catalog");
      expect(await one.lastVersion("marketplace-a", "https://shop.example/feed", false)).toBeDefined();
      await importVersion(undefined);
      expect(await one.lastVersion("marketplace-a", "https://shop.example/feed", false)).toBeUndefined();
    });
  });
}
