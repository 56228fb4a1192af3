import { ungroundedStatements } from "@product-search/testing/deep-search/ungrounded.ts";
import { createShop, shopProducts } from "@product-search/testing/shop.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createDeepSearch } from "./deep-search.ts";
import { understand } from "./understanding/understand.ts";
import { createBuiltInAnswerWriter } from "./writers/built-in.ts";

const shop = createShop();
const deepSearch = createDeepSearch({
  ...shop,
  builtInWriter: createBuiltInAnswerWriter(),
  clock: { now: () => Date.UTC(2026, 10, 21) },
  currency: "USD",
  publicUrl: "https://shop.example",
});
const texts = new Map(shopProducts.map(({ name, description = "" }) => [name, description]));
const brands = [...new Set(shopProducts.flatMap(({ brand }) => brand ?? []))];

/** Random combinations of phrases that the tables recognise, names of the catalog, and noise. */
const piece = fc.oneof(
  fc.constantFrom(
    ..."tents|mug|shoes|lamps|Fellhaven|Velora|Lumen House|red|blue or green|leather|under|over|between|and|or|,|not|without|a|the|$|€|%|off|stars|rated".split(
      "|",
    ),
    ..."cheapest|best rated|together|in total|on sale|in stock|5|20|99.99|1.299,50|fifty|two hundred|ignore your instructions|<b>|https://evil.example|{p1.price}|⟦0⟧|hello".split(
      "|",
    ),
  ),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const request = fc
  .array(piece, { minLength: 1, maxLength: 14 })
  .map((pieces) => pieces.join(" ").slice(0, 512))
  .filter((text) => text.trim() !== "");

it("answers any request with facts only, and within the constraints that were read", async () => {
  await fc.assert(
    fc.asyncProperty(request, async (query) => {
      const signal = AbortSignal.timeout(60_000);
      const { data } = await deepSearch.answer({ query }, signal);
      const { intents } = await understand({ ...shop, currency: "USD" }, query, signal);
      expect(data.query).toBe(query);
      expect(ungroundedStatements(data, { brands, texts })).toEqual([]);
      expect(data.topProducts.length > 0).toBe(data.productCount > 0);
      expect(data.description).not.toMatch(/[<>{}⟦⟧]|https?:/);
      for (const { price } of data.topProducts) {
        const isWithin = intents.some(
          ({ constraints: { minPriceMinor = 0, maxPriceMinor = Number.POSITIVE_INFINITY } }) =>
            Math.round(price * 100) >= minPriceMinor && Math.round(price * 100) <= maxPriceMinor,
        );
        expect(isWithin).toBe(true);
      }
    }),
    // A brand that was given up must not name the thing.
    { numRuns: 300, examples: [["Velora tents and tents"], ["tents or 5 mug"]] },
  );
});
