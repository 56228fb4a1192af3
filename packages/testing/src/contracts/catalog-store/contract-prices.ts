import type { PriceEntry } from "@product-search/core/domain/product.ts";
import type { PriceHistoryRange } from "@product-search/core/ports/catalog-store.ts";
import { describe, expect, test } from "vitest";
import { productInput } from "../../fake-products.ts";
import { type CatalogWorld, dayMs } from "./contract-world.ts";

/** Tests for the price histories of every catalog store. */
export function describePriceHistory(world: CatalogWorld): void {
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
