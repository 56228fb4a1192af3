import { productSources } from "@product-search/core/domain/fields.ts";
import type { PriceEntry, StoredProduct } from "@product-search/core/domain/product.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import {
  type CatalogStore,
  ImportLeaseLostError,
  type PriceHistoryRange,
} from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { productInput } from "../fake-products.ts";

/** Tests for every catalog store. */
export function describeCatalogStore(open: OpenCatalogStore): void {
  const world = useCatalogWorld(open);
  describePriceHistory(world);
  describeRemoving(world);

  describe("reading", () => {
    test("returns applied products by row id, identifier and slug", async () => {
      const input = productInput("l1", {
        brand: "Noctis",
        category: "Lamps",
        categoryPaths: [["Home", "Lamps"], ["Gifts"]],
        groupId: "LAMP",
        attributes: { color: ["Black", "Brass"], size: ["M"] },
        gtin: "04006381333931",
        mpn: "NX-1",
        language: "de",
        images: ["/images/1.webp", "https://cdn.example/2.jpg"],
        originalPriceMinor: 2500,
        averageRating: 4.5,
        reviewCount: 12,
        isVerified: true,
        isBoosted: true,
      });
      await world.store.apply([input]);
      const product = await world.findByKey("l1");
      expect(product).toMatchObject(input);
      expect(product).toMatchObject({
        createdAtMs: world.nowMs,
        updatedAtMs: world.nowMs,
        priceSinceMs: world.nowMs,
        discountVal: 0,
      });
      expect(product.id).toMatch(/^[0-9a-f]{24}$/);
      expect(product.slug).toBe(`lamp-l1-${product.id.slice(0, 8)}`);
      expect(await world.store.findByRowIds([product.rowId])).toEqual([product]);
      expect(await world.store.findById(product.id)).toEqual(product);
      expect(await world.store.findBySlug("catalog", product.slug)).toEqual(product);
      expect(await world.store.findBySlug("marketplace-a", product.slug)).toBeUndefined();
    });

    test("leaves unknown values absent", async () => {
      await world.store.apply([productInput("l1")]);
      const product = await world.findByKey("l1");
      expect("brand" in product || "category" in product || "averageRating" in product).toBe(false);
      expect(product).toMatchObject({ reviewCount: 0, isVerified: false, isBoosted: false });
    });

    test("returns the members of a group of one source", async () => {
      const member = (key: string, given = {}) => productInput(key, { groupId: "G", ...given });
      await world.store.apply([
        member("a"),
        productInput("b"),
        member("c", { source: "marketplace-a" }),
        member("d", { groupId: "g" }),
        member("e"),
        member("f"),
      ]);
      const keys = async (limit: number) =>
        (await world.store.findGroup("catalog", "G", limit)).map(({ key }) => key);
      expect(await keys(10)).toEqual(["a", "e", "f"]);
      expect(await keys(2)).toEqual(["a", "e"]);
      await world.store.apply([productInput("e"), member("b")]);
      expect(await keys(10)).toEqual(["a", "b", "f"]);
      expect(await world.store.findGroup("catalog", "absent", 10)).toEqual([]);
    });

    test("uses the item code of marketplace products in their identifiers", async () => {
      await world.store.apply([
        productInput("X-9", { source: "marketplace-a" }),
        productInput("X-9", { source: "marketplace-b" }),
      ]);
      expect(await world.store.findById("marketplace-a_X-9")).toMatchObject({
        source: "marketplace-a",
        slug: "X-9",
      });
      expect(await world.store.findBySlug("marketplace-b", "X-9")).toMatchObject({ id: "marketplace-b_X-9" });
    });

    test("returns products in the requested order, without absent ones", async () => {
      await world.store.apply([productInput("a"), productInput("b")]);
      const [a, b] = await world.store.scan(0, 10);
      const found = await world.store.findByRowIds([b?.rowId ?? 0, 999, a?.rowId ?? 0]);
      expect(found.map((product) => product.key)).toEqual(["b", "a"]);
      expect(await world.store.findById("absent")).toBeUndefined();
      expect(await world.store.findBySlug("catalog", "absent")).toBeUndefined();
    });

    test("scans in the order of row ids, which have no gaps, and counts by source", async () => {
      await world.store.apply(["a", "b", "c"].map((key) => productInput(key)));
      await world.store.apply([productInput("a", { source: "marketplace-b" })]);
      expect((await world.store.scan(0, 2)).map((product) => product.rowId)).toEqual([1, 2]);
      expect((await world.store.scan(2, 10)).map((product) => product.rowId)).toEqual([3, 4]);
      expect(await world.store.countBySource()).toEqual({
        ...recordOf(productSources, () => 0),
        catalog: 3,
        "marketplace-b": 1,
      });
    });
  });

  describe("pages", () => {
    test("are listed in the order of row ids, with the time of the last change", async () => {
      expect(await world.store.lastRowId()).toBe(0);
      expect(await world.store.pages(0, 10)).toEqual([]);
      await world.store.apply(["a", "b", "c"].map((key) => productInput(key)));
      world.nowMs += dayMs;
      await world.store.apply([productInput("b", { priceMinor: 999 })]);
      const [a, b, c] = await world.store.scan(0, 10);
      const page = (product: typeof a) => ({
        rowId: product?.rowId,
        slug: product?.slug,
        updatedAtMs: product?.updatedAtMs,
      });
      expect(await world.store.pages(0, 2)).toEqual([page(a), page(b)]);
      expect(await world.store.pages(2, 10)).toEqual([page(c)]);
      expect(page(b).updatedAtMs).toBe(world.nowMs);
      expect(await world.store.lastRowId()).toBe(3);
    });
  });

  describe("applying", () => {
    test("returns the outcome of each input", async () => {
      expect(await world.store.apply([productInput("a"), productInput("b")])).toEqual(["created", "created"]);
      const outcomes = await world.store.apply([
        productInput("a"),
        productInput("b", { name: "Floor lamp" }),
        productInput("c"),
      ]);
      expect(outcomes).toEqual(["unchanged", "updated", "created"]);
    });

    test("removes values that the input no longer has, except isVerified and isBoosted", async () => {
      await world.store.apply([
        productInput("a", { brand: "Noctis", averageRating: 4, isVerified: true, isBoosted: true }),
      ]);
      await world.store.apply([productInput("a")]);
      const product = await world.findByKey("a");
      expect(product.brand).toBeUndefined();
      expect(product.averageRating).toBeUndefined();
      expect(product).toMatchObject({ isVerified: true, isBoosted: true });
    });

    test("sets the popularity of products, which is a change and stays when they are imported", async () => {
      await world.store.apply([productInput("a"), productInput("b")]);
      const { rowId } = await world.findByKey("a");
      const before = await world.store.lastSequence();
      await world.store.setPopularity([
        { rowId, popularity: 12 },
        { rowId: 999, popularity: 5 },
      ]);
      expect((await world.store.changesAfter(before, 10)).map((change) => change.rowId)).toEqual([rowId]);
      await world.store.apply([productInput("a", { name: "Other lamp" })]);
      expect(await world.findByKey("a")).toMatchObject({ name: "Other lamp", popularity: 12 });
      expect((await world.findByKey("b")).popularity).toBeUndefined();
    });

    test.each([
      ["attributes", { color: ["Black"] }, { color: ["Black", "Brass"] }],
      ["groupId", "one", "other"],
      ["mpn", "1", "2"],
      ["categoryPaths", [["Home", "Lamps"]], [["Home", "Lamps"], ["Gifts"]]],
    ])("notices a change of %s alone", async (field, former, later) => {
      const lamp = (value: unknown) =>
        Object.assign(productInput("a", { category: "Lamps" }), { [field]: value });
      await world.store.apply([lamp(former)]);
      expect(await world.store.apply([lamp(former)])).toEqual(["unchanged"]);
      expect(await world.store.apply([lamp(later)])).toEqual(["updated"]);
      expect(await world.findByKey("a")).toMatchObject({ [field]: later });
      expect(await world.store.apply([productInput("a", { category: "Lamps" })])).toEqual(["updated"]);
      expect(await world.findByKey("a")).not.toHaveProperty(field);
    });

    test("keeps identifier, row id, slug and creation time when the name changes", async () => {
      await world.store.apply([productInput("a")]);
      const before = await world.findByKey("a");
      world.nowMs += dayMs;
      await world.store.apply([productInput("a", { name: "Floor lamp" })]);
      const { id, rowId, slug, createdAtMs } = before;
      expect(await world.findByKey("a")).toMatchObject({
        name: "Floor lamp",
        id,
        rowId,
        slug,
        createdAtMs,
        updatedAtMs: world.nowMs,
      });
    });

    test("applies inputs with one key one after the other", async () => {
      const [first, second] = [productInput("a"), productInput("a", { priceMinor: 1500 })];
      expect(await world.store.apply([first, second])).toEqual(["created", "updated"]);
      expect(await world.store.apply([first, second])).toEqual(["updated", "updated"]);
      expect(await world.findByKey("a")).toMatchObject({ priceMinor: 1500 });
      expect((await world.store.priceHistories([1], 100))[0]).toHaveLength(4);
    });

    test("applies all inputs or none", async () => {
      const broken = productInput("b", { priceMinor: Number.NaN });
      await expect(world.store.apply([productInput("a"), broken])).rejects.toThrow();
      expect(await world.store.scan(0, 10)).toEqual([]);
      expect(await world.store.lastSequence()).toBe(0);
    });
  });

  describe("change log", () => {
    test("has increasing sequences, and no entry if nothing changed", async () => {
      expect(await world.store.lastSequence()).toBe(0);
      await world.store.apply([productInput("a"), productInput("b")]);
      const last = await world.store.lastSequence();
      await world.store.apply([productInput("a")]);
      expect(await world.store.lastSequence()).toBe(last);
      await world.store.apply([productInput("a", { availability: "out_of_stock" })]);
      expect(await world.store.lastSequence()).toBeGreaterThan(last);
      expect((await world.store.changesAfter(last, 10)).map((change) => change.rowId)).toEqual([1]);
    });

    test("lists every changed product once, oldest change first, up to the limit", async () => {
      await world.store.apply(["a", "b", "c"].map((key) => productInput(key)));
      await world.store.apply([productInput("b", { priceMinor: 1 })]);
      expect((await world.store.changesAfter(0, 10)).map((change) => change.rowId)).toEqual([1, 3, 2]);
      expect((await world.store.changesAfter(0, 2)).map((change) => change.rowId)).toEqual([1, 3]);
      expect(await world.store.changesAfter(await world.store.lastSequence(), 10)).toEqual([]);
    });
  });
}

/** Tests for the deletion of products in every catalog store. */
function describeRemoving(world: CatalogWorld): void {
  describe("removing", () => {
    const idOf = async (key: string) => (await world.findByKey(key)).id;

    test("returns the outcome of each identifier, and leaves nothing that can be found", async () => {
      await world.store.apply([productInput("a"), productInput("b"), productInput("c")]);
      const [a, b, c] = [await world.findByKey("a"), await world.findByKey("b"), await world.findByKey("c")];
      expect(await world.store.remove([c.id, "absent", a.id, a.id])).toEqual([
        "removed",
        "absent",
        "removed",
        "absent",
      ]);
      expect(await world.store.scan(0, 10)).toEqual([b]);
      expect(await world.store.findById(a.id)).toBeUndefined();
      expect(await world.store.findByIds([c.id, b.id, a.id])).toEqual([b]);
      expect(await world.store.findByRowIds([a.rowId, b.rowId, c.rowId])).toEqual([b]);
      expect(await world.store.findBySlug("catalog", a.slug)).toBeUndefined();
      expect(await world.store.priceHistories([a.rowId, b.rowId], 10)).toMatchObject([
        [],
        [{ priceMinor: 2000 }],
      ]);
      expect((await world.store.countBySource()).catalog).toBe(1);
    });

    test("is a change for indexes, and the only one", async () => {
      await world.store.apply([productInput("a"), productInput("b")]);
      const before = await world.store.lastSequence();
      await world.store.remove(["absent"]);
      expect(await world.store.lastSequence()).toBe(before);
      const { id, rowId } = await world.findByKey("a");
      await world.store.remove([id]);
      expect((await world.store.changesAfter(before, 10)).map((change) => change.rowId)).toEqual([rowId]);
      expect(await world.store.lastSequence()).toBeGreaterThan(before);
    });

    test("never uses a row id twice: a product that is imported again is a new one without a history", async () => {
      await world.store.apply([productInput("a"), productInput("b", { priceMinor: 900 })]);
      const { id, rowId } = await world.findByKey("b");
      await world.store.remove([id]);
      world.nowMs += dayMs;
      expect(await world.store.apply([productInput("b")])).toEqual(["created"]);
      const again = await world.findByKey("b");
      expect(again).toMatchObject({ id, createdAtMs: world.nowMs, discountVal: 0 });
      expect(again.rowId).toBeGreaterThan(rowId);
      expect((await world.store.priceHistories([again.rowId], 10))[0]).toHaveLength(1);
      expect(await world.store.findByIds([id, await idOf("a")])).toMatchObject([{ key: "b" }, { key: "a" }]);
    });

    test("removes nothing for an import whose lease is lost", async () => {
      await world.store.apply([productInput("a")]);
      const removal = world.store.remove([await idOf("a")], { owner: "nobody", position: 1, startedAtMs: 0 });
      await expect(removal).rejects.toThrow(ImportLeaseLostError);
      expect(await world.store.scan(0, 10)).toHaveLength(1);
    });
  });
}

/** Tests for the price histories of every catalog store. */
function describePriceHistory(world: CatalogWorld): void {
  describe("price history", () => {
    const histories = async (limit: number) => {
      const [history = []] = await world.store.priceHistories([1], limit);
      return history.map(({ priceMinor, atMs }) => [priceMinor, (atMs - Date.UTC(2026, 0, 1)) / dayMs]);
    };

    test("gets one entry per price change, newest last, and a limit keeps the newest", async () => {
      for (const priceMinor of [2000, 1500, 1500, 1800]) {
        await world.store.apply([productInput("a", { priceMinor })]);
        world.nowMs += dayMs;
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
      await world.store.apply([productInput("a"), productInput("b")]);
      world.nowMs += dayMs;
      await world.store.apply([productInput("b", { priceMinor: 1500 })]);
      const [a, b] = await world.store.scan(0, 10);
      const [ofA = [], ofB = []] = await world.store.priceHistories([1, 2], 100);
      expect(await world.store.findWithHistory([2, 999, 1], 100)).toEqual([
        { product: b, history: ofB },
        { product: a, history: ofA },
      ]);
      expect(ofB).toHaveLength(2);
      expect(await world.store.findWithHistory([2], 1)).toEqual([{ product: b, history: ofB.slice(1) }]);
    });

    test("is read oldest first within a range, page by page", async () => {
      const formerPrices = Array.from({ length: 7 }, (_, day) => ({
        priceMinor: 1000 + day,
        // Two entries with the same time: pages must not lose one of them.
        atMs: world.nowMs - (30 - Math.min(day, 5)) * dayMs,
      }));
      await world.store.apply([productInput("a", { formerPrices }), productInput("b")]);
      const prices = async (range: PriceHistoryRange, limit = 100) =>
        (await world.store.priceHistory(1, range, limit)).map(({ priceMinor }) => priceMinor);
      const all = await prices({});
      expect(all.slice(0, 7)).toEqual(formerPrices.map(({ priceMinor }) => priceMinor));
      const [fromMs, toMs] = [world.nowMs - 29 * dayMs, world.nowMs - 27 * dayMs];
      expect(await prices({ fromMs, toMs })).toEqual([1001, 1002, 1003]);
      expect(await prices({ fromMs: fromMs + 1 }, 2)).toEqual([1002, 1003]);
      expect(await prices({ toMs: fromMs - 1 })).toEqual([1000]);
      const paged: number[] = [];
      let after: PriceEntry | undefined;
      do {
        const page: PriceEntry[] = await world.store.priceHistory(1, after === undefined ? {} : { after }, 2);
        paged.push(...page.map(({ priceMinor }) => priceMinor));
        after = page.at(-1);
      } while (after !== undefined);
      expect(paged).toEqual(all);
      expect(await world.store.priceHistory(999, {}, 10)).toEqual([]);
    });

    test("has an identifier per entry", async () => {
      await world.store.apply([productInput("a"), productInput("b")]);
      const entries = (await world.store.priceHistories([1, 2], 100)).flat();
      expect(new Set(entries.map((entry) => entry.id)).size).toBe(2);
    });

    test("gives the discount against the lowest price of the 30 days before", async () => {
      await world.store.apply([productInput("a", { priceMinor: 1000 })]);
      world.nowMs += 10 * dayMs;
      await world.store.apply([productInput("a", { priceMinor: 2000 })]);
      world.nowMs += 29 * dayMs;
      await world.store.apply([productInput("a", { priceMinor: 1500 })]);
      expect(await world.findByKey("a")).toMatchObject({ discountVal: 0, priceSinceMs: world.nowMs });
      world.nowMs += 31 * dayMs;
      await world.store.apply([productInput("a", { priceMinor: 1200 })]);
      expect(await world.findByKey("a")).toMatchObject({ discountVal: 20 });
      world.nowMs += dayMs;
      await world.store.apply([productInput("a", { priceMinor: 1200, name: "Renamed" })]);
      expect(await world.findByKey("a")).toMatchObject({ name: "Renamed", discountVal: 20 });
    });

    test("stays in order when the clock is set back", async () => {
      await world.store.apply([productInput("a", { priceMinor: 1000 })]);
      world.nowMs -= dayMs;
      await world.store.apply([productInput("a", { priceMinor: 900 })]);
      expect((await histories(100)).map(([price]) => price)).toEqual([1000, 900]);
      expect(await world.findByKey("a")).toMatchObject({ priceMinor: 900 });
    });

    test("is used for a new product and ignored for an existing one", async () => {
      const formerPrices = [
        { priceMinor: 3000, atMs: world.nowMs - 60 * dayMs },
        { priceMinor: 2000, atMs: world.nowMs - 5 * dayMs },
      ];
      await world.store.apply([productInput("a", { formerPrices })]);
      expect(await histories(100)).toEqual([
        [3000, -60],
        [2000, -5],
      ]);
      expect(await world.findByKey("a")).toMatchObject({
        discountVal: 33.3,
        priceSinceMs: world.nowMs - 5 * dayMs,
      });
      expect(await world.store.apply([productInput("a", { formerPrices: [] })])).toEqual(["unchanged"]);
      world.nowMs += dayMs;
      await world.store.apply([productInput("a", { priceMinor: 1000, formerPrices })]);
      expect(await histories(100)).toEqual([
        [3000, -60],
        [2000, -5],
        [1000, 1],
      ]);
    });
  });
}

const dayMs = 24 * 60 * 60 * 1000;

type OpenCatalogStore = (clock: Clock) => Promise<{ store: CatalogStore; close(): Promise<void> }>;

/** A store, opened for each test, and the helpers of tests. */
interface CatalogWorld {
  readonly store: CatalogStore;
  /** The time, which tests set. */
  nowMs: number;
  findByKey(key: string): Promise<StoredProduct>;
}

function useCatalogWorld(open: OpenCatalogStore): CatalogWorld {
  let opened: Awaited<ReturnType<OpenCatalogStore>>;
  const world: CatalogWorld = {
    nowMs: 0,
    get store() {
      return opened.store;
    },
    async findByKey(key) {
      const found = (await opened.store.scan(0, 1000)).find((product) => product.key === key);
      if (found === undefined) throw new Error(`No product with the key ${key}`);
      return found;
    },
  };
  beforeEach(async () => {
    world.nowMs = Date.UTC(2026, 0, 1);
    opened = await open({ now: () => world.nowMs });
  });
  afterEach(() => opened.close());
  return world;
}
