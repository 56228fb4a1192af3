import type { Marketplace, MarketplaceSource } from "@product-search/core/ports/marketplace-source.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

export interface SourceUnderTest {
  source: MarketplaceSource;
  close(): Promise<void>;
}

/** Tests for every marketplace source, with `count` products that match "mug" and have the item codes CODE1, CODE2, … */
export function describeMarketplaceSource(
  name: string,
  create: (marketplace: Marketplace, count: number) => Promise<SourceUnderTest>,
): void {
  describe(`${name} as a marketplace source`, () => {
    let made: SourceUnderTest;
    const find = (offset: number, limit: number, text = "mug", signal = new AbortController().signal) =>
      made.source.search({ text, offset, limit }, signal);
    const codes = async (offset: number, limit: number) =>
      (await find(offset, limit)).items.map(({ key }) => Number(key.slice("CODE".length)));
    const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

    beforeEach(async () => {
      made = await create("marketplace-b", 537);
    });
    afterEach(() => made.close());

    test.each([1, 20, 33, 100, 250])("pages through everything once, %i at a time", async (limit) => {
      const seen: number[] = [];
      for (let offset = 0, more = true; more; offset += limit) {
        const page = await find(offset, limit);
        expect(page.total).toBe(537);
        seen.push(...page.items.map(({ key }) => Number(key.slice("CODE".length))));
        more = page.hasMore;
        // The first and the last fifty single-product pages are enough.
        if (limit === 1 && offset === 50) offset = 486;
      }
      const expected = limit === 1 ? [...numbers(1, 51), ...numbers(488, 537)] : numbers(1, 537);
      expect(seen).toEqual(expected);
    });

    test("returns any part of the list", async () => {
      expect(await codes(123, 45)).toEqual(numbers(124, 168));
      expect(await codes(500, 250)).toEqual(numbers(501, 537));
    });

    test("reports that there is no more exactly when the list ends", async () => {
      expect((await find(517, 20)).hasMore).toBe(false);
      expect((await find(516, 20)).hasMore).toBe(true);
    });

    test("is empty after the end, and if nothing matches", async () => {
      expect(await find(560, 20)).toMatchObject({ items: [], hasMore: false });
      expect(await find(0, 20, "xyzzy")).toMatchObject({ items: [], total: 0, hasMore: false });
    });

    test("identifies products by marketplace and item code", async () => {
      const { items } = await find(0, 1);
      expect(items[0]).toMatchObject({ id: "marketplace-b_CODE1", key: "CODE1", slug: "CODE1" });
    });

    test("stops when the client disconnects", async () => {
      const gone = AbortSignal.abort(new Error("gone"));
      await expect(find(0, 20, "mug", gone)).rejects.toThrow("gone");
    });
  });
}
