import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createIndexWriter,
  createSegmentBuilder,
  emptySnapshot,
  type FacetKind,
  facetKinds,
  type IndexDocument,
  openIndex,
  type SearchFilters,
  type SearchQuery,
  snapshotOf,
  type TextIndex,
} from "../src/index.ts";
import { compareCodePoints } from "../src/segment/string-table.ts";
import { documentArbitrary, editArbitrary, queryArbitrary } from "./arbitraries.ts";
import { buildDocument } from "./build-document.ts";
import { deleteSeen } from "./delete-seen.ts";
import { NaiveIndex } from "./naive-index.ts";

const everything = { names: facetKinds, maxValues: 50, ignoreOwnFilter: true };
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
/** Filters on the values of facets, several at a time. */
const facetFilters: fc.Arbitrary<SearchFilters> = fc.record({
  source: optional(fc.nat(2)),
  brands: optional(fc.array(fc.constantFrom("", "Noctis", "Äröma", "Bolt"), { maxLength: 2 })),
  categories: optional(fc.array(fc.constantFrom("lamp", "oak", ""), { maxLength: 2 })),
  stores: optional(fc.array(fc.constantFrom("lamp", "oak", ""), { maxLength: 2 })),
  minPriceMinor: optional(fc.constantFrom(0, 101, 5000)),
  maxPriceMinor: optional(fc.constantFrom(100, 5000, 2 ** 40)),
  minRating: optional(fc.constantFrom(4.1, 4.5)),
  availability: optional(fc.array(fc.nat(3), { minLength: 1, maxLength: 3 })),
});
const queries = fc.array(
  fc.tuple(queryArbitrary, facetFilters).map(([query, filters]) => ({ ...query, filters, everyWord: true })),
  { minLength: 1, maxLength: 8 },
);

function without(filters: SearchFilters = {}, kind: FacetKind): SearchFilters {
  const { minPriceMinor, maxPriceMinor, minRating, ...others } = filters;
  const price = kind === "price" ? {} : { minPriceMinor, maxPriceMinor };
  const rating = kind === "rating" ? {} : { minRating };
  return { ...others, ...price, ...rating, ...(kind in others && { [kind]: undefined }) };
}

function expectFacets(index: TextIndex, naive: NaiveIndex, query: SearchQuery): void {
  const { facets, ...plain } = index.search({ ...query, facets: everything });
  const { facets: none, ...alone } = index.search(query);
  expect(plain).toEqual(alone);
  expect(Object.values(none).flat()).toEqual([]);
  const fieldOf = { brands: "brand", categories: "category", stores: "store" } as const;
  for (const kind of ["brands", "categories", "stores"] as const) {
    const matches = naive.matches({ ...query, filters: without(query.filters, kind) });
    const counts = Map.groupBy(matches, ({ fields }) => fields[fieldOf[kind]]);
    const expected = Array.from(counts, ([value, documents]) => ({ value, count: documents.length }))
      .filter(({ value }) => value !== "")
      .sort((a, b) => b.count - a.count || compareCodePoints(a.value, b.value));
    expect(facets[kind]).toEqual(expected);
  }
  const prices = naive.matches({ ...query, filters: without(query.filters, "price") });
  for (const { from, to, count: documents } of facets.price)
    expect(documents).toBe(prices.filter(({ priceMinor }) => from <= priceMinor && priceMinor <= to).length);
  expect(facets.price.reduce((sum, { count: documents }) => sum + documents, 0)).toBe(prices.length);
  const rated = naive.matches({ ...query, filters: without(query.filters, "rating") });
  for (const { from, count: documents } of facets.rating)
    expect(documents).toBe(rated.filter(({ rating }) => rating >= from).length);
}

describe("facets agree with a naive scan, and change nothing else", () => {
  it("after any changes", () => {
    fc.assert(
      fc.property(fc.array(editArbitrary, { minLength: 1, maxLength: 6 }), queries, (history, list) => {
        const writer = createIndexWriter(emptySnapshot);
        const naive = new NaiveIndex();
        history.forEach((edit, i) => {
          writer.apply(edit, i + 1);
          naive.apply(edit.upserts, edit.deletes);
        });
        const index = openIndex(writer.snapshot);
        for (const query of list) expectFacets(index, naive, query);
      }),
      { numRuns: 60 },
    );
  });

  it("over several segments with deletions", () => {
    fc.assert(
      fc.property(fc.array(editArbitrary, { minLength: 2, maxLength: 4 }), queries, (history, list) => {
        const naive = new NaiveIndex();
        const segments = history.flatMap(({ upserts }) => {
          const builder = createSegmentBuilder();
          for (const document of upserts) builder.add(document);
          naive.apply(upserts, []);
          return snapshotOf(builder.build(), 0).segments;
        });
        const seen = new Set<number>();
        const newestFirst = [...segments].reverse().map((segment) => deleteSeen(segment, seen));
        const index = openIndex({ sequence: 1, segments: newestFirst.reverse() });
        for (const query of list) expectFacets(index, naive, query);
      }),
      { numRuns: 40 },
    );
  });

  it("with words that may be dropped: the counts are those of the matches", () => {
    fc.assert(
      fc.property(fc.array(documentArbitrary, { maxLength: 40 }), queries, (documents, list) => {
        const builder = createSegmentBuilder();
        for (const document of new Map(documents.map((one) => [one.id, one])).values()) builder.add(document);
        const index = openIndex(snapshotOf(builder.build(), 0));
        for (const query of list) {
          const relaxed = { ...query, everyWord: false };
          const { facets, ...plain } = index.search({ ...relaxed, facets: everything });
          const { facets: _, ...alone } = index.search(relaxed);
          expect(plain).toEqual(alone);
          if (query.filters.brands === undefined) continue;
          const counted = facets.brands.filter(({ value: name }) => query.filters.brands?.includes(name));
          const unnamed = query.filters.brands.includes("");
          const sum = counted.reduce((total, { count: documents }) => total + documents, 0);
          if (unnamed) expect(sum).toBeLessThanOrEqual(plain.total);
          else expect(sum).toBe(plain.total);
        }
      }),
      { numRuns: 60 },
    );
  });
});

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
