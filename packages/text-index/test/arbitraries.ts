import fc from "fast-check";
import { type IndexDocument, numberColumns, type SearchFilters, type SearchQuery } from "../src/index.ts";

// A small vocabulary, so that random queries match random documents. No word is similar enough to be a misspelling of another.
const vocabulary = [
  "lamp",
  "oak",
  "velvet",
  "chair",
  "blue",
  "Größe",
  "12",
  "シャツ",
  "ıstanbul",
  "kettles",
] as const;
const brands = ["", "Noctis", "Äröma", "Bolt"] as const;

const text = (most: number) =>
  fc.array(fc.constantFrom(...vocabulary), { maxLength: most }).map((words) => words.join(" "));

export const documentArbitrary: fc.Arbitrary<IndexDocument> = fc.record({
  id: fc.nat(60),
  tie: fc.constantFrom(0, 1, 2, 2 ** 32, Number.MAX_SAFE_INTEGER),
  fields: fc.record({
    name: text(5),
    brand: fc.constantFrom(...brands),
    store: text(1),
    description: text(8),
    category: text(1),
  }),
  source: fc.nat(2),
  priceMinor: fc.constantFrom(0, 100, 101, 5000, 2 ** 40),
  rating: fc.constantFrom(0, 4.1, 4.5, 5),
  discount: fc.constantFrom(0, 12.5, 33.3),
  numbers: fc.record(
    Object.fromEntries(numberColumns.map((column) => [column, fc.constantFrom(-1, 0, 2.5, undefined)])),
  ),
  quality: fc.constantFrom(0, 50, 50.1, 99),
  availability: fc.nat(3),
  boosted: fc.boolean(),
});

export interface Edit {
  readonly upserts: readonly IndexDocument[];
  readonly deletes: readonly number[];
}

export const editArbitrary: fc.Arbitrary<Edit> = fc
  .record({
    upserts: fc.array(documentArbitrary, { maxLength: 12 }),
    deletes: fc.array(fc.nat(60), { maxLength: 8 }),
  })
  .map(({ upserts, deletes }) => {
    // At most one version of a document per batch, and no document both added and deleted, so that the order does not matter.
    const byId = new Map(upserts.map((document) => [document.id, document]));
    return { upserts: [...byId.values()], deletes: deletes.filter((id) => !byId.has(id)) };
  });

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

const filtersArbitrary: fc.Arbitrary<SearchFilters> = fc.record({
  source: optional(fc.nat(2)),
  minPriceMinor: optional(fc.constantFrom(0, 101, 5000)),
  maxPriceMinor: optional(fc.constantFrom(100, 5000, 2 ** 40)),
  availability: optional(fc.array(fc.nat(3), { maxLength: 2 })),
  brands: optional(fc.array(fc.constantFrom(...brands), { maxLength: 2 })),
  minRating: optional(fc.constantFrom(4.1, 4.5)),
  minDiscount: optional(fc.constantFrom(12.5, 33.3)),
  withWords: optional(
    fc.array(fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 2 }), { maxLength: 2 }),
  ),
  withoutWords: optional(fc.array(fc.constantFrom(...vocabulary), { maxLength: 2 })),
});

export const queryArbitrary: fc.Arbitrary<SearchQuery> = fc.record({
  text: text(3),
  // Often none or only one, because the index handles both separately.
  filters: fc.oneof(
    fc.constant({}),
    filtersArbitrary,
    filtersArbitrary.map((filters) => Object.fromEntries(Object.entries(filters).slice(0, 1))),
    filtersArbitrary.map(({ brands, withWords }) => ({ brands, withWords })),
  ),
  sort: fc.constantFrom("relevance", "price", "price:relevance", "rating", "discount", ...numberColumns),
  order: fc.constantFrom("asc", "desc", undefined),
  offset: fc.nat(30),
  limit: fc.nat(20),
});
