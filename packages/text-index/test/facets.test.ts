import { describe, expect, it } from "vitest";
import {
  createIndexWriter,
  createSegmentBuilder,
  facetKinds,
  type IndexDocument,
  openIndex,
  type SearchFilters,
  snapshotOf,
  type TextIndex,
} from "../src/index.ts";
import { buildDocument } from "./build-document.ts";

const everything = { names: facetKinds, maxValues: 50, ignoreOwnFilter: true };

const indexOf = (documents: readonly IndexDocument[]): TextIndex => {
  const builder = createSegmentBuilder();
  for (const document of documents) builder.add(document);
  return openIndex(snapshotOf(builder.build(), 1));
};

describe("price ranges", () => {
  const rangesOf = (prices: readonly number[], filters: SearchFilters = {}) =>
    indexOf(prices.map((priceMinor, id) => buildDocument(id, { priceMinor }))).search({
      text: "",
      filters,
      offset: 0,
      limit: 1,
      facets: everything,
    }).facets.price;

  it("have round bounds, are not empty, and are at most eight", () => {
    expect(rangesOf([])).toEqual([]);
    expect(rangesOf([0, 0])).toEqual([{ from: 0, to: 0, count: 2 }]);
    expect(rangesOf([1099, 1199, 1599, 999_999])).toEqual([
      { from: 1000, to: 1499, count: 2 },
      { from: 1500, to: 1999, count: 1 },
      { from: 750_000, to: 999_999, count: 1 },
    ]);
    const spread = rangesOf(Array.from({ length: 500 }, (_, i) => Math.round(10 ** (i / 80))));
    expect(spread.length).toBeLessThanOrEqual(8);
    expect(spread.length).toBeGreaterThan(5);
    expect(rangesOf([Number.MAX_SAFE_INTEGER - 1])).toHaveLength(1);
  });

  it("do not change if one of them is chosen", () => {
    const prices = [500, 1500, 2500, 3500, 9900];
    expect(rangesOf(prices, { minPriceMinor: 1500, maxPriceMinor: 1999 })).toEqual(rangesOf(prices));
  });
});

it("counts ratings as this and above, best first, without documents that have no rating", () => {
  const ratings = [0, 0.5, 2.9, 3, 4.4, 4.5, 5];
  const { facets } = indexOf(ratings.map((rating, id) => buildDocument(id, { rating }))).search({
    text: "",
    offset: 0,
    limit: 1,
    facets: { names: ["rating"], maxValues: 0 },
  });
  expect(facets.rating).toEqual([
    { from: 4.5, to: 5, count: 2 },
    { from: 4, to: 5, count: 3 },
    { from: 3, to: 5, count: 4 },
    { from: 2, to: 5, count: 5 },
    { from: 1, to: 5, count: 5 },
  ]);
  expect(facets.price).toEqual([]);
});

it("returns the most frequent names over a larger and a smaller segment", () => {
  const brand = (id: number, name: string) => buildDocument(id, { fields: { brand: name } });
  const writer = createIndexWriter(
    snapshotOf(
      (() => {
        const builder = createSegmentBuilder();
        for (let id = 0; id < 300; id++) builder.add(brand(id, `B${id % 60}`));
        return builder.build();
      })(),
      1,
    ),
  );
  const snapshot = writer.apply(
    { upserts: [brand(900, "B7"), brand(901, "New"), brand(902, "New")], deletes: [0] },
    2,
  );
  const { facets } = openIndex(snapshot).search({
    text: "",
    offset: 0,
    limit: 1,
    facets: { names: ["brands"], maxValues: 3 },
  });
  expect(facets.brands).toEqual([
    { value: "B7", count: 6 },
    { value: "B1", count: 5 },
    { value: "B10", count: 5 },
  ]);
});
