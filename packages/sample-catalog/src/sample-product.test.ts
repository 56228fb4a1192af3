import { describe, expect, test } from "vitest";
import { designCount, designOf } from "./design.ts";
import { defaultSampleSize, sampleProduct } from "./sample-product.ts";

const nowMs = Date.parse("2026-11-21T12:34:56Z");
const settings = { currencyDecimals: 2, nowMs };
const sample = Array.from({ length: defaultSampleSize }, (_, number) => sampleProduct(number, settings));

describe("the sample catalog", () => {
  test("is always the same", () => {
    expect(sampleProduct(77, settings)).toEqual(sample[77]);
  });

  test("covers both marketplaces and at least twelve categories in each source", () => {
    for (const source of ["catalog", "marketplace-a", "marketplace-b"]) {
      const categories = new Set(
        sample.filter((product) => product.source === source).map(({ category }) => category),
      );
      for (const wanted of ["Shoes", "Bags", "Watches", "Lamps", "Mugs", "Chairs"])
        expect(categories).toContain(wanted);
      expect(categories.size).toBeGreaterThanOrEqual(12);
    }
  });

  test.each(["running shoes", "leather bag", "desk lamp", "coffee mug", "office chair"])(
    "has many a %s",
    (words) => {
      const found = sample.filter(({ name, description, category }) => {
        const text = `${name} ${description} ${category}`.toLowerCase();
        return words.split(" ").every((word) => text.includes(word));
      });
      expect(found.length).toBeGreaterThanOrEqual(20);
      expect(new Set(found.map(({ brand }) => brand)).size).toBeGreaterThanOrEqual(8);
    },
  );

  test("names only the material of the product, so that excluding another one works", () => {
    const materials = [
      "leather",
      "suede",
      "canvas",
      "mesh",
      "cotton",
      "linen",
      "wool",
      "felt",
      "velvet",
      "oak",
      "steel",
      "ceramic",
      "glass",
    ];
    for (const { name, description } of sample) {
      const named = materials.filter((material) => new RegExp(`\\b${material}\\b`).test(description));
      for (const material of named) expect(name.toLowerCase()).toContain(material);
    }
  });

  test("has a different key, identifier and main image for each product", () => {
    expect(new Set(sample.map(({ key }) => key)).size).toBe(sample.length);
    expect(new Set(sample.map(({ images }) => images[0])).size).toBe(sample.length);
  });

  test("reuses the images of earlier products after the last design", () => {
    const [first, later] = [sampleProduct(3, settings), sampleProduct(3 + designCount, settings)];
    expect(later.images[0]).toBe(first.images[0]);
    expect(later.key).not.toBe(first.key);
    expect(later.category).toBe(first.category);
  });

  test("has about a thousand groups in the catalog, whose members are of one kind and brand", () => {
    const catalog = sample.filter(({ source }) => source === "catalog");
    const groups = [...Map.groupBy(catalog, ({ groupId }) => groupId).values()];
    expect(catalog.length).toBe(1440);
    expect(groups.length).toBeGreaterThan(950);
    expect(groups.length).toBeLessThan(1050);
    for (const members of groups) {
      expect(new Set(members.map(({ category }) => category)).size).toBe(1);
      expect(new Set(members.flatMap(({ brand }) => brand ?? [])).size).toBeLessThanOrEqual(1);
    }
    const several = groups.filter((members) => members.length > 1);
    const differing = several.filter(
      (members) => new Set(members.map(({ attributes }) => JSON.stringify(attributes))).size > 1,
    );
    expect(differing.length / several.length).toBeGreaterThan(0.9);
  });

  test("has more groups in a larger catalog, not larger ones", () => {
    const larger = Array.from({ length: 4 * sample.length }, (_, number) => sampleProduct(number, settings));
    const sizes = (products: typeof sample) =>
      [...Map.groupBy(products, ({ source, groupId }) => `${source} ${groupId}`).values()].map(
        ({ length }) => length,
      );
    const largest = (products: typeof sample) => Math.max(...sizes(products));
    expect(largest(larger)).toBeLessThan(2 * largest(sample));
    expect(sizes(larger).length).toBeGreaterThan(3.5 * sizes(sample).length);
  });

  test("has the category at the end of its path, and the colour and material of its image", () => {
    for (const [number, { category, categoryPaths, attributes }] of sample.entries()) {
      expect(categoryPaths[0]?.at(-1)).toBe(category);
      expect(categoryPaths[0]?.length).toBeGreaterThan(1);
      const { colour, material } = designOf(number);
      expect(attributes).toMatchObject({ color: [colour.name], material: [material.name] });
    }
    expect(sample.some(({ attributes }) => (attributes.size?.length ?? 0) > 1)).toBe(true);
  });

  test("keeps the names of former releases, which are in the slugs", () => {
    expect([0, 1, 2].map((number) => sample[number]?.name)).toEqual([
      "Northfell Kana Running Shoes, Black Mesh",
      "Ibexa Trail Running Shoes Karo – White, Mesh",
      "Fenwater Obara 3 Sneakers, Burgundy Canvas",
    ]);
  });

  test("has ninety days of prices up to the current one", () => {
    for (const { priceMinor, formerPrices, originalPriceMinor } of sample) {
      const times = formerPrices.map(({ atMs }) => atMs);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      expect(new Set(times).size).toBe(times.length);
      expect(times[0]).toBe(Date.parse("2026-08-23T00:00:00Z"));
      expect(times.at(-1)).toBeLessThan(nowMs);
      expect(formerPrices.at(-1)?.priceMinor).toBe(priceMinor);
      expect(Number.isSafeInteger(priceMinor) && priceMinor > 0).toBe(true);
      if (originalPriceMinor !== undefined) expect(originalPriceMinor).toBeGreaterThan(priceMinor);
    }
  });

  test("has realistic ratings and every availability", () => {
    expect(new Set(sample.map(({ availability }) => availability)).size).toBe(4);
    for (const { averageRating } of sample) {
      if (averageRating === undefined) continue;
      expect(averageRating).toBeGreaterThan(2.5);
      expect(averageRating).toBeLessThanOrEqual(5);
    }
  });

  test.each([0, 2, 3])("asks sensible prices in a currency with %i decimals", (currencyDecimals) => {
    const { priceMinor } = sampleProduct(0, { currencyDecimals, nowMs });
    const major = priceMinor / 10 ** currencyDecimals;
    expect(major).toBeGreaterThan(currencyDecimals === 0 ? 1000 : 10);
    expect(major).toBeLessThan(currencyDecimals === 0 ? 30_000 : 300);
  });
});
