import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PriceEntry, ProductInput } from "../../domain/product.ts";
import { type CatalogStore, ImportLeaseLostError } from "../../ports/catalog-store.ts";
import type { Clock } from "../../ports/clock.ts";

const dayMs = 24 * 60 * 60 * 1000;

export function productInput(key: string, given: Partial<ProductInput> = {}): ProductInput {
  return {
    source: "catalog",
    key,
    name: `Lamp ${key}`,
    storeName: "Lichthaus",
    description: "A desk lamp.",
    url: `/products/${key}`,
    images: ["/images/lamp.webp"],
    priceMinor: 2000,
    availability: "in_stock",
    ...given,
  };
}

/** Tests for every catalog store. */
export function describeCatalogStore(
  openStore: (clock: Clock) => Promise<{ store: CatalogStore; close(): Promise<void> }>,
): void {
  let store: CatalogStore;
  let close: () => Promise<void>;
  let nowMs: number;
  beforeEach(async () => {
    nowMs = Date.UTC(2026, 0, 1);
    ({ store, close } = await openStore({ now: () => nowMs }));
  });
  afterEach(() => close());

  const findByKey = async (key: string) => {
    const found = (await store.scan(0, 1000)).find((product) => product.key === key);
    if (found === undefined) throw new Error(`No product with the key ${key}`);
    return found;
  };

  describe("reading", () => {
    test("returns applied products by row id, identifier and slug", async () => {
      const input = productInput("l1", {
        brand: "Noctis",
        category: "Lamps",
        gtin: "04006381333931",
        language: "de",
        images: ["/images/1.webp", "https://cdn.example/2.jpg"],
        originalPriceMinor: 2500,
        averageRating: 4.5,
        reviewCount: 12,
        isVerified: true,
        isBoosted: true,
      });
      await store.apply([input]);
      const product = await findByKey("l1");
      expect(product).toMatchObject(input);
      expect(product).toMatchObject({
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
        priceSinceMs: nowMs,
        discountVal: 0,
      });
      expect(product.id).toMatch(/^[0-9a-f]{24}$/);
      expect(product.slug).toBe(`lamp-l1-${product.id.slice(0, 8)}`);
      expect(await store.findByRowIds([product.rowId])).toEqual([product]);
      expect(await store.findById(product.id)).toEqual(product);
      expect(await store.findBySlug("catalog", product.slug)).toEqual(product);
      expect(await store.findBySlug("marketplace-a", product.slug)).toBeUndefined();
    });

    test("leaves unknown values absent", async () => {
      await store.apply([productInput("l1")]);
      const product = await findByKey("l1");
      expect("brand" in product || "category" in product || "averageRating" in product).toBe(false);
      expect(product).toMatchObject({ reviewCount: 0, isVerified: false, isBoosted: false });
    });

    test("uses the item code of marketplace products in their identifiers", async () => {
      await store.apply([
        productInput("X-9", { source: "marketplace-a" }),
        productInput("X-9", { source: "marketplace-b" }),
      ]);
      expect(await store.findById("marketplace-a_X-9")).toMatchObject({
        source: "marketplace-a",
        slug: "X-9",
      });
      expect(await store.findBySlug("marketplace-b", "X-9")).toMatchObject({ id: "marketplace-b_X-9" });
    });

    test("returns products in the requested order, without absent ones", async () => {
      await store.apply([productInput("a"), productInput("b")]);
      const [a, b] = await store.scan(0, 10);
      const found = await store.findByRowIds([b?.rowId ?? 0, 999, a?.rowId ?? 0]);
      expect(found.map((product) => product.key)).toEqual(["b", "a"]);
      expect(await store.findById("absent")).toBeUndefined();
      expect(await store.findBySlug("catalog", "absent")).toBeUndefined();
    });

    test("scans in the order of row ids, which have no gaps, and counts by source", async () => {
      await store.apply(["a", "b", "c"].map((key) => productInput(key)));
      await store.apply([productInput("a", { source: "marketplace-b" })]);
      expect((await store.scan(0, 2)).map((product) => product.rowId)).toEqual([1, 2]);
      expect((await store.scan(2, 10)).map((product) => product.rowId)).toEqual([3, 4]);
      expect(await store.countBySource()).toEqual({ catalog: 3, "marketplace-a": 0, "marketplace-b": 1 });
    });
  });

  describe("applying", () => {
    test("returns the outcome of each input", async () => {
      expect(await store.apply([productInput("a"), productInput("b")])).toEqual(["created", "created"]);
      const outcomes = await store.apply([
        productInput("a"),
        productInput("b", { name: "Floor lamp" }),
        productInput("c"),
      ]);
      expect(outcomes).toEqual(["unchanged", "updated", "created"]);
    });

    test("removes values that the input no longer has, except isVerified and isBoosted", async () => {
      await store.apply([
        productInput("a", { brand: "Noctis", averageRating: 4, isVerified: true, isBoosted: true }),
      ]);
      await store.apply([productInput("a")]);
      const product = await findByKey("a");
      expect(product.brand).toBeUndefined();
      expect(product.averageRating).toBeUndefined();
      expect(product).toMatchObject({ isVerified: true, isBoosted: true });
    });

    test("keeps identifier, row id, slug and creation time when the name changes", async () => {
      await store.apply([productInput("a")]);
      const before = await findByKey("a");
      nowMs += dayMs;
      await store.apply([productInput("a", { name: "Floor lamp" })]);
      const { id, rowId, slug, createdAtMs } = before;
      expect(await findByKey("a")).toMatchObject({
        name: "Floor lamp",
        id,
        rowId,
        slug,
        createdAtMs,
        updatedAtMs: nowMs,
      });
    });

    test("applies inputs with one key one after the other", async () => {
      const [first, second] = [productInput("a"), productInput("a", { priceMinor: 1500 })];
      expect(await store.apply([first, second])).toEqual(["created", "updated"]);
      expect(await store.apply([first, second])).toEqual(["updated", "updated"]);
      expect(await findByKey("a")).toMatchObject({ priceMinor: 1500 });
      expect((await store.priceHistories([1], 100))[0]).toHaveLength(4);
    });

    test("applies all inputs or none", async () => {
      const broken = productInput("b", { priceMinor: Number.NaN });
      await expect(store.apply([productInput("a"), broken])).rejects.toThrow();
      expect(await store.scan(0, 10)).toEqual([]);
      expect(await store.lastSequence()).toBe(0);
    });
  });

  describe("price history", () => {
    const histories = async (limit: number) => {
      const [history = []] = await store.priceHistories([1], limit);
      return history.map(({ priceMinor, atMs }) => [priceMinor, (atMs - Date.UTC(2026, 0, 1)) / dayMs]);
    };

    test("gets one entry per price change, newest last, and a limit keeps the newest", async () => {
      for (const priceMinor of [2000, 1500, 1500, 1800]) {
        await store.apply([productInput("a", { priceMinor })]);
        nowMs += dayMs;
      }
      expect(await histories(100)).toEqual([
        [2000, 0],
        [1500, 1],
        [1800, 3],
      ]);
      expect(await histories(2)).toEqual([
        [1500, 1],
        [1800, 3],
      ]);
    });

    test("is returned with its product, in the requested order and without absent products", async () => {
      await store.apply([productInput("a"), productInput("b")]);
      nowMs += dayMs;
      await store.apply([productInput("b", { priceMinor: 1500 })]);
      const [a, b] = await store.scan(0, 10);
      const [ofA = [], ofB = []] = await store.priceHistories([1, 2], 100);
      expect(await store.findWithHistory([2, 999, 1], 100)).toEqual([
        { product: b, history: ofB },
        { product: a, history: ofA },
      ]);
      expect(ofB).toHaveLength(2);
      expect(await store.findWithHistory([2], 1)).toEqual([{ product: b, history: ofB.slice(1) }]);
    });

    test("is read oldest first within a range, page by page", async () => {
      const formerPrices = Array.from({ length: 7 }, (_, day) => ({
        priceMinor: 1000 + day,
        // Two entries with the same time: pages must not lose one of them.
        atMs: nowMs - (30 - Math.min(day, 5)) * dayMs,
      }));
      await store.apply([productInput("a", { formerPrices }), productInput("b")]);
      const prices = async (range: Parameters<CatalogStore["priceHistory"]>[1], limit = 100) =>
        (await store.priceHistory(1, range, limit)).map(({ priceMinor }) => priceMinor);
      const all = await prices({});
      expect(all.slice(0, 7)).toEqual(formerPrices.map(({ priceMinor }) => priceMinor));
      const [fromMs, toMs] = [nowMs - 29 * dayMs, nowMs - 27 * dayMs];
      expect(await prices({ fromMs, toMs })).toEqual([1001, 1002, 1003]);
      expect(await prices({ fromMs: fromMs + 1 }, 2)).toEqual([1002, 1003]);
      expect(await prices({ toMs: fromMs - 1 })).toEqual([1000]);
      const paged: number[] = [];
      let after: PriceEntry | undefined;
      do {
        const page: PriceEntry[] = await store.priceHistory(1, after === undefined ? {} : { after }, 2);
        paged.push(...page.map(({ priceMinor }) => priceMinor));
        after = page.at(-1);
      } while (after !== undefined);
      expect(paged).toEqual(all);
      expect(await store.priceHistory(999, {}, 10)).toEqual([]);
    });

    test("has an identifier per entry", async () => {
      await store.apply([productInput("a"), productInput("b")]);
      const entries = (await store.priceHistories([1, 2], 100)).flat();
      expect(new Set(entries.map((entry) => entry.id)).size).toBe(2);
    });

    test("gives the discount against the lowest price of the 30 days before", async () => {
      await store.apply([productInput("a", { priceMinor: 1000 })]);
      nowMs += 10 * dayMs;
      await store.apply([productInput("a", { priceMinor: 2000 })]);
      nowMs += 29 * dayMs;
      await store.apply([productInput("a", { priceMinor: 1500 })]);
      expect(await findByKey("a")).toMatchObject({ discountVal: 0, priceSinceMs: nowMs });
      nowMs += 31 * dayMs;
      await store.apply([productInput("a", { priceMinor: 1200 })]);
      expect(await findByKey("a")).toMatchObject({ discountVal: 20 });
      nowMs += dayMs;
      await store.apply([productInput("a", { priceMinor: 1200, name: "Renamed" })]);
      expect(await findByKey("a")).toMatchObject({ name: "Renamed", discountVal: 20 });
    });

    test("stays in order when the clock is set back", async () => {
      await store.apply([productInput("a", { priceMinor: 1000 })]);
      nowMs -= dayMs;
      await store.apply([productInput("a", { priceMinor: 900 })]);
      expect((await histories(100)).map(([price]) => price)).toEqual([1000, 900]);
      expect(await findByKey("a")).toMatchObject({ priceMinor: 900 });
    });

    test("is used for a new product and ignored for an existing one", async () => {
      const formerPrices = [
        { priceMinor: 3000, atMs: nowMs - 60 * dayMs },
        { priceMinor: 2000, atMs: nowMs - 5 * dayMs },
      ];
      await store.apply([productInput("a", { formerPrices })]);
      expect(await histories(100)).toEqual([
        [3000, -60],
        [2000, -5],
      ]);
      expect(await findByKey("a")).toMatchObject({ discountVal: 33.3, priceSinceMs: nowMs - 5 * dayMs });
      expect(await store.apply([productInput("a", { formerPrices: [] })])).toEqual(["unchanged"]);
      nowMs += dayMs;
      await store.apply([productInput("a", { priceMinor: 1000, formerPrices })]);
      expect(await histories(100)).toEqual([
        [3000, -60],
        [2000, -5],
        [1000, 1],
      ]);
    });
  });

  describe("removing", () => {
    const idOf = async (key: string) => (await findByKey(key)).id;

    test("returns the outcome of each identifier, and leaves nothing that can be found", async () => {
      await store.apply([productInput("a"), productInput("b"), productInput("c")]);
      const [a, b, c] = [await findByKey("a"), await findByKey("b"), await findByKey("c")];
      expect(await store.remove([c.id, "absent", a.id, a.id])).toEqual([
        "removed",
        "absent",
        "removed",
        "absent",
      ]);
      expect(await store.scan(0, 10)).toEqual([b]);
      expect(await store.findById(a.id)).toBeUndefined();
      expect(await store.findByIds([c.id, b.id, a.id])).toEqual([b]);
      expect(await store.findByRowIds([a.rowId, b.rowId, c.rowId])).toEqual([b]);
      expect(await store.findBySlug("catalog", a.slug)).toBeUndefined();
      expect(await store.priceHistories([a.rowId, b.rowId], 10)).toMatchObject([[], [{ priceMinor: 2000 }]]);
      expect((await store.countBySource()).catalog).toBe(1);
    });

    test("is a change for indexes, and the only one", async () => {
      await store.apply([productInput("a"), productInput("b")]);
      const before = await store.lastSequence();
      await store.remove(["absent"]);
      expect(await store.lastSequence()).toBe(before);
      const { id, rowId } = await findByKey("a");
      await store.remove([id]);
      expect((await store.changesAfter(before, 10)).map((change) => change.rowId)).toEqual([rowId]);
      expect(await store.lastSequence()).toBeGreaterThan(before);
    });

    test("never uses a row id twice: a product that is imported again is a new one without a history", async () => {
      await store.apply([productInput("a"), productInput("b", { priceMinor: 900 })]);
      const { id, rowId } = await findByKey("b");
      await store.remove([id]);
      nowMs += dayMs;
      expect(await store.apply([productInput("b")])).toEqual(["created"]);
      const again = await findByKey("b");
      expect(again).toMatchObject({ id, createdAtMs: nowMs, discountVal: 0 });
      expect(again.rowId).toBeGreaterThan(rowId);
      expect((await store.priceHistories([again.rowId], 10))[0]).toHaveLength(1);
      expect(await store.findByIds([id, await idOf("a")])).toMatchObject([{ key: "b" }, { key: "a" }]);
    });

    test("removes nothing for an import whose lease is lost", async () => {
      await store.apply([productInput("a")]);
      const removal = store.remove([await idOf("a")], { owner: "nobody", position: 1 });
      await expect(removal).rejects.toThrow(ImportLeaseLostError);
      expect(await store.scan(0, 10)).toHaveLength(1);
    });
  });

  describe("change log", () => {
    test("has increasing sequences, and no entry if nothing changed", async () => {
      expect(await store.lastSequence()).toBe(0);
      await store.apply([productInput("a"), productInput("b")]);
      const last = await store.lastSequence();
      await store.apply([productInput("a")]);
      expect(await store.lastSequence()).toBe(last);
      await store.apply([productInput("a", { availability: "out_of_stock" })]);
      expect(await store.lastSequence()).toBeGreaterThan(last);
      expect((await store.changesAfter(last, 10)).map((change) => change.rowId)).toEqual([1]);
    });

    test("lists every changed product once, oldest change first, up to the limit", async () => {
      await store.apply(["a", "b", "c"].map((key) => productInput(key)));
      await store.apply([productInput("b", { priceMinor: 1 })]);
      expect((await store.changesAfter(0, 10)).map((change) => change.rowId)).toEqual([1, 3, 2]);
      expect((await store.changesAfter(0, 2)).map((change) => change.rowId)).toEqual([1, 3]);
      expect(await store.changesAfter(await store.lastSequence(), 10)).toEqual([]);
    });
  });
}
