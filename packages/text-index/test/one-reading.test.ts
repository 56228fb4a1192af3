import fc from "fast-check";
import { expect, it } from "vitest";
import {
  createIndexWriter,
  emptySnapshot,
  type Facets,
  facetNames,
  type IndexDocument,
  openIndex,
  type SearchFilters,
  type SearchQuery,
  type SearchResult,
  type SearchRules,
} from "../src/index.ts";
import { documentArbitrary, queryArbitrary } from "./arbitraries.ts";

const documentWithTags: fc.Arbitrary<IndexDocument> = fc
  .record({
    document: documentArbitrary,
    brand: fc.constantFrom("", "Noctis", "NOCTIS", "Äröma", "aroma", "Bolt"),
    colours: fc.array(
      fc.tuple(fc.constantFrom("colour", "Colour"), fc.constantFrom("red", "Red", "rèd", "blue")),
      { maxLength: 3 },
    ),
    path: fc.constantFrom(["home", "lamps"], ["Home", "LAMPS"], ["home", "chairs"], ["Lämps"], ["garden"]),
    group: fc.option(fc.constantFrom("g", "h"), { nil: undefined }),
  })
  .map(({ document, brand, colours, path, group }) => ({
    ...document,
    fields: { ...document.fields, brand, category: path.at(-1) ?? "" },
    categoryPaths: [path],
    attributes: colours,
    group,
  }));

/** Most filters are left out: all of them together would find next to nothing. */
const rarely = { nil: undefined, freq: 1 } as const;

const filtersArbitrary: fc.Arbitrary<SearchFilters> = fc.record({
  source: fc.constant(0),
  brands: fc.option(fc.constantFrom(["Noctis"], ["Bolt", "Äröma"]), rarely),
  categories: fc.option(fc.constantFrom(["lamps"], ["home"], ["home > Chairs"]), rarely),
  attributes: fc.option(fc.constant([{ name: "colour", values: ["red"] }]), rarely),
  availability: fc.option(fc.constantFrom([0], [1, 2]), rarely),
  maxPriceMinor: fc.option(fc.constantFrom(101, 5000), rarely),
  minRating: fc.option(fc.constantFrom(4.1, 4.5), rarely),
});

const rulesArbitrary: fc.Arbitrary<SearchRules> = fc.record({
  hide: fc.array(fc.nat(60), { maxLength: 3 }),
  pin: fc
    .uniqueArray(fc.nat(60), { maxLength: 3 })
    .map((ids) => ids.map((rowId, position) => ({ rowId, position: position * 2 }))),
});

const queries = fc.record({
  text: fc.oneof(
    fc.constant(""),
    queryArbitrary.map(({ text }) => text),
  ),
  filters: filtersArbitrary,
  rules: fc.option(rulesArbitrary, { nil: undefined }),
  isGrouped: fc.boolean(),
});

const facets = {
  names: facetNames,
  maxValues: 99,
  attributes: { frequent: 9, names: [] },
  ignoreOwnFilter: true,
} as const;

/** Each entry of the facets with the filter that it stands for. */
function entriesOf(counted: Facets): Array<readonly [number, Partial<SearchFilters>]> {
  return [
    ...counted.brands.map(({ value: name, count: documents }) => [documents, { brands: [name] }] as const),
    ...counted.stores.map(({ value: name, count: documents }) => [documents, { stores: [name] }] as const),
    ...[...counted.categories, ...counted.categoryPaths].map(
      ({ value: name, count: documents }) => [documents, { categories: [name] }] as const,
    ),
    ...counted.availability.map(({ value, count }) => [count, { availability: [value] }] as const),
    ...counted.price.map(
      ({ from, to, count: documents }) => [documents, { minPriceMinor: from, maxPriceMinor: to }] as const,
    ),
    ...counted.rating.map(({ from, count: documents }) => [documents, { minRating: from }] as const),
    ...counted.attributes.flatMap(({ name, values }) =>
      values.map((value) => [value.count, { attributes: [{ name, values: [value.value] }] }] as const),
    ),
  ];
}

const reading = ({ finds, words, correctedText, absentThing }: SearchResult) => ({
  finds,
  words,
  correctedText,
  absentThing,
});

it("one text has one meaning: counts agree with what their filters find, under every order and on every page", () => {
  fc.assert(
    fc.property(
      fc.array(documentWithTags, { maxLength: 40 }),
      queries,
      (documents, { text, filters, rules, isGrouped }) => {
        const upserts = [...new Map(documents.map((one) => [one.id, one])).values()];
        const index = openIndex(createIndexWriter(emptySnapshot).apply({ upserts, deletes: [] }, 1));
        const query: SearchQuery = {
          text,
          filters,
          rules,
          offset: 0,
          limit: 100,
          ...(isGrouped && { grouped: { maxVariants: 0 } }),
        };
        const all = index.search({ ...query, facets });
        expect(all.rowIds).toHaveLength(all.total);
        for (const [count, filter] of entriesOf(all.facets)) {
          const found = index.search({ ...query, filters: { ...filters, ...filter } });
          expect([filter, found.total]).toEqual([filter, count]);
          expect(reading(found)).toEqual(reading(all));
        }
        for (const sort of ["relevance", "price", "price:relevance", "rating", "popularity"] as const)
          for (const order of ["asc", "desc"] as const) {
            const found = index.search({ ...query, sort, order });
            expect([sort, order, found.total]).toEqual([sort, order, all.total]);
            expect(reading(found)).toEqual(reading(all));
            const pages = [];
            for (let offset = 0; offset < all.total; offset += 3)
              pages.push(...index.search({ ...query, sort, order, offset, limit: 3 }).rowIds);
            expect(pages).toEqual(found.rowIds);
          }
        const fewer = index.search({ ...query, filters: { ...filters, minDiscount: 12.5 } });
        expect(fewer.total).toBeLessThanOrEqual(all.total);
      },
    ),
    { numRuns: 120 },
  );
});
