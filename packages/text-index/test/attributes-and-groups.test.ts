import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createIndexWriter,
  createSegmentBuilder,
  emptySnapshot,
  type FacetRequest,
  type FacetValue,
  type FilterKey,
  facetKinds,
  facetNames,
  type IndexDocument,
  openIndex,
  type SearchFilters,
  type SearchQuery,
  type Snapshot,
  snapshotOf,
  type TextIndex,
} from "../src/index.ts";
import { compareCodePoints } from "../src/segment/string-table.ts";
import { buildDocument } from "./edited-index.ts";
import {
  countValues,
  groupOf,
  leavesOf,
  levelsOf,
  NaiveCatalog,
  nameOfAttribute,
  namesOf,
  valueKey,
  valuesOfAttribute,
} from "./naive-catalog.ts";

// Several spellings of one name each: they are counted together, as a filter finds them.
const categoryNames = ["Home", "Sofas", "sofas", "Lighting", "Höme"] as const;
const names = ["color", "Colòr", "size", "größe"] as const;
const values = ["Black", "black", "Navy Blue", "M", "42", "Schwarz", "schwärz"] as const;
const words = ["oak", "lamp", "blue", "sofas", "42"] as const;
const brands = ["", "Noctis", "noctis", "Nørdic Oak", "Nordic OAK", "Bolt"] as const;

const text = (most: number) =>
  fc.array(fc.constantFrom(...words), { maxLength: most }).map((chosen) => chosen.join(" "));
const path = fc.array(fc.constantFrom(...categoryNames), { minLength: 1, maxLength: 3 });

const document: fc.Arbitrary<IndexDocument> = fc
  .record({
    id: fc.nat(80),
    tie: fc.nat(2),
    name: text(3),
    brand: fc.constantFrom(...brands),
    store: fc.constantFrom("", "One", "ÓNE", "Two"),
    paths: fc.array(path, { maxLength: 3 }),
    attributes: fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values)), { maxLength: 4 }),
    group: fc.option(fc.constantFrom("g1", "g2", "g3"), { nil: undefined, freq: 4 }),
    source: fc.nat(1),
    priceMinor: fc.constantFrom(0, 100, 101, 5000, 70_000),
    rating: fc.constantFrom(0, 3.1, 4.5, 5),
    discount: fc.constantFrom(0, 12.5),
    quality: fc.constantFrom(0, 50, 99),
    availability: fc.nat(3),
    boosted: fc.boolean(),
    onSale: fc.boolean(),
  })
  .map(({ name, brand, store, paths, ...document }) => ({
    ...document,
    categoryPaths: paths,
    fields: { name, brand, store, description: "", category: paths[0]?.at(-1) ?? "" },
  }));

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 1 });
const attributeFilter = fc.record({
  name: fc.constantFrom("Color", "size", "GRÖSSE", "unknown"),
  values: fc.array(fc.constantFrom("BLACK", "navy blue", "m", "42", "none"), { minLength: 1, maxLength: 2 }),
});
const filters: fc.Arbitrary<SearchFilters> = fc.record({
  source: optional(fc.nat(1)),
  brands: optional(fc.array(fc.constantFrom("", "noctis", "nordic oak"), { maxLength: 2 })),
  stores: optional(fc.array(fc.constantFrom("one", "two"), { minLength: 1, maxLength: 2 })),
  categories: optional(
    fc.array(fc.constantFrom("home", "Sofas", "Home > Sofas", "Sofas > Home > Home", "", "none"), {
      maxLength: 2,
    }),
  ),
  attributes: optional(fc.array(attributeFilter, { maxLength: 3 })),
  availability: optional(fc.array(fc.nat(3), { minLength: 1, maxLength: 3 })),
  minPriceMinor: optional(fc.constantFrom(0, 101)),
  maxPriceMinor: optional(fc.constantFrom(101, 5000)),
  minRating: optional(fc.constantFrom(3.1, 4.5)),
  minDiscount: optional(fc.constantFrom(12.5)),
  onSale: fc.option(fc.boolean(), { nil: undefined, freq: 3 }),
  notBrands: rarely(fc.array(fc.constantFrom("", "NOCTIS", "none"), { maxLength: 2 })),
  notStores: rarely(fc.constant(["one"])),
  notCategories: rarely(fc.array(fc.constantFrom("home", "Home > Sofas", "none"), { maxLength: 2 })),
  notAttributes: rarely(fc.array(attributeFilter, { maxLength: 2 })),
});
/** Some of them once more, as filters that always hold. */
const filtersWithin = fc
  .tuple(filters, filters)
  .map(([own, { source: _, ...always }]) => ({ ...own, always }));
const query: fc.Arbitrary<SearchQuery> = fc.record({
  text: text(2),
  filters: fc.oneof(
    filters,
    // Few filters, which are handled separately.
    filters.map((all) => Object.fromEntries(Object.entries(all).slice(3, 5))),
    filters.map(({ attributes }) => ({ attributes: attributes?.slice(0, 1) })),
    filters.map(({ categories, availability }) => ({ categories, availability })),
    filters.map(({ source, availability }) => ({ source, availability })),
    filtersWithin,
    filtersWithin.map(({ brands: some, always: { brands: others, availability, minRating } }) => ({
      brands: some,
      always: { brands: others, availability, minRating },
    })),
    filters.map(({ onSale, brands: some, notBrands }) => ({ onSale, brands: some, notBrands })),
    filters.map(({ onSale, notCategories, notAttributes }) => ({ onSale, notCategories, notAttributes })),
  ),
  everyWord: fc.constant(true),
  sort: fc.constantFrom("relevance", "price", "price:relevance", "rating", "discount"),
  order: fc.constantFrom("asc", "desc", undefined),
  offset: fc.nat(6),
  limit: fc.nat(6),
});
const history = fc.array(fc.array(document, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 4 });
const queries = fc.array(query, { minLength: 1, maxLength: 8 });

/** In several segments if nothing is merged. */
function replay(batches: readonly (readonly IndexDocument[])[], merges: boolean): [TextIndex, NaiveCatalog] {
  const byId = new Map<number, IndexDocument>();
  const writer = createIndexWriter(emptySnapshot);
  let snapshot: Snapshot = emptySnapshot;
  batches.forEach((batch, i) => {
    const changes = { upserts: batch, deletes: i === 2 ? [3, 4] : [] };
    if (merges) snapshot = writer.apply(changes, i + 1);
    else
      for (const step = writer.add(changes, i + 1); ; ) {
        const { done, value } = step.next();
        if (!done) continue;
        snapshot = value;
        break;
      }
    if (i === 2) for (const id of [3, 4]) if (!batch.some((one) => one.id === id)) byId.delete(id);
    for (const one of batch) byId.set(one.id, one);
  });
  return [openIndex(snapshot), new NaiveCatalog(byId.values())];
}

const everything: FacetRequest = {
  names: facetNames,
  maxValues: 50,
  maxPaths: 200,
  attributes: { frequent: 20, names: ["Color", "nothing"] },
  ignoreOwnFilter: true,
};

function expectAgreement(
  index: TextIndex,
  naive: NaiveCatalog,
  query: SearchQuery,
  isGrouped: boolean,
): void {
  const variants = 3;
  const wanted = isGrouped ? { ...query, grouped: { maxVariants: variants } } : query;
  const matches = naive.matches(query);
  const { facets, ...found } = index.search({ ...wanted, facets: everything });
  const { facets: _, ...alone } = index.search(wanted);
  expect(found).toEqual(alone);
  const all = index.search({ ...query, offset: 0, limit: 2_000 }).rowIds;
  const byId = new Map(matches.map((one) => [one.id, one]));
  expect(all.toSorted()).toEqual([...byId.keys()].toSorted());
  const { sort = "relevance" } = query;
  if (sort !== "relevance" && sort !== "price:relevance" && (sort === "price" || query.text === ""))
    expect(all).toEqual(naive.sorted(query).map(({ id }) => id));
  const firsts = isGrouped ? firstOfGroups(all, byId) : all;
  expect(found.total).toBe(firsts.length);
  expect(found.rowIds).toEqual(firsts.slice(query.offset, query.offset + query.limit));
  expect(index.search({ ...wanted, offset: 0, limit: 2_000 }).rowIds).toEqual(firsts);
  if (isGrouped) expectVariants(found.rowIds, found.groups, matches, variants);
  else expect(found.groups).toEqual([]);
  expectFacets(facets, naive, query, isGrouped);
}

function firstOfGroups(ids: readonly number[], byId: ReadonlyMap<number, IndexDocument>): number[] {
  const seen = new Set<string>();
  return ids.filter((id) => {
    const group = groupOf(byId.get(id) ?? buildDocument(id));
    const isFirst = !seen.has(group);
    seen.add(group);
    return isFirst;
  });
}

type Found = ReturnType<TextIndex["search"]>;

function expectVariants(
  ids: readonly number[],
  variants: Found["groups"],
  matches: readonly IndexDocument[],
  limit: number,
): void {
  expect(variants).toHaveLength(ids.length);
  ids.forEach((id, i) => {
    const hit = matches.find((one) => one.id === id) ?? buildDocument(id);
    const members = matches.filter((one) => groupOf(one) === groupOf(hit));
    const prices = members.map(({ priceMinor }) => priceMinor);
    expect(variants[i]).toEqual({
      count: members.length,
      minPriceMinor: Math.min(...prices),
      maxPriceMinor: Math.max(...prices),
      rowIds: members.slice(0, limit).map((one) => one.id),
    });
  });
}

function expectFacets(
  facets: Found["facets"],
  naive: NaiveCatalog,
  query: SearchQuery,
  isGrouped: boolean,
): void {
  const count = (key: FilterKey, valuesOf: (document: IndexDocument) => readonly string[]): FacetValue[] =>
    countValues(naive.matches(query, key), valuesOf, isGrouped);
  expect(facets.brands).toEqual(count("brands", ({ fields }) => [fields.brand]));
  expect(facets.stores).toEqual(count("stores", ({ fields }) => [fields.store]));
  const byName = new Map(
    count("categories", namesOf).map(({ value, count: holders }) => [valueKey(value), holders]),
  );
  // A name, and a path of one name, are a filter by the name at any level.
  const withAllLevels = (counts: FacetValue[]) =>
    counts
      .map(({ value, count: holders }) => ({ value, count: byName.get(valueKey(value)) ?? holders }))
      .sort((a, b) => b.count - a.count || compareCodePoints(a.value, b.value));
  expect(facets.categories).toEqual(withAllLevels(count("categories", leavesOf)));
  expect(facets.categoryPaths).toEqual(withAllLevels(count("categories", levelsOf)));
  const availability = count("availability", (one) => [String(one.availability)]);
  expect(
    facets.availability.map(({ value, count: holders }) => ({ value: String(value), count: holders })),
  ).toEqual(availability);
  expect(facets.onSale).toEqual(count("onSale", (one) => (one.onSale ? ["true"] : [])));
  const ofAttributes = ["color", "size", "größe"].map((name) => {
    const key = `attribute ${name === "größe" ? "grosse" : name}` as const;
    const [named] = count(key, nameOfAttribute(name));
    return {
      name: named?.value ?? "",
      holders: named?.count ?? 0,
      values: count(key, valuesOfAttribute(name)),
    };
  });
  const expected = ofAttributes
    .filter(({ holders }) => holders > 0)
    .sort((a, b) => b.holders - a.holders || (a.name < b.name ? -1 : 1))
    .map(({ name, values }) => ({ name, values }));
  const color = expected.some(({ name }) => valueKey(name) === "color");
  const found = facets.attributes.filter(
    ({ name, values }) => name !== "nothing" && (color || values.length > 0),
  );
  expect(found.map(({ name, values }) => ({ name, values }))).toEqual(expected);
  expect(facets.attributes.find(({ name }) => name === "nothing")).toEqual({ name: "nothing", values: [] });
  for (const { from, to, count: documents } of facets.price) {
    const inRange = ({ priceMinor }: IndexDocument) =>
      from <= priceMinor && priceMinor <= to ? ["in it"] : [];
    expect(documents).toBe(count("price", inRange)[0]?.count);
  }
  for (const { from, count: documents } of facets.rating)
    expect(documents).toBe(count("rating", ({ rating }) => (rating >= from ? ["above"] : []))[0]?.count);
}

describe("attributes, categories and groups agree with a naive catalog", () => {
  for (const isGrouped of [false, true])
    for (const merges of [true, false])
      it(`${isGrouped ? "by group" : "by document"}, ${merges ? "after merges" : "over several segments"}`, () => {
        fc.assert(
          fc.property(history, queries, (batches, list) => {
            const [index, naive] = replay(batches, merges);
            for (const one of list) expectAgreement(index, naive, one, isGrouped);
          }),
          { numRuns: 25 },
        );
      });
});

it("agree for a word that most documents have, with one filter at a time", () => {
  const documents = fc.sample(document, { numRuns: 1_200, seed: 7 }).map((one, id) => ({
    ...one,
    id,
    fields: { ...one.fields, name: "lamp" },
  }));
  const [index, naive] = replay([documents], true);
  const one: readonly SearchFilters[] = [
    { availability: [1] },
    { categories: ["home"] },
    { attributes: [{ name: "color", values: ["black"] }] },
    { brands: ["noctis"] },
    { source: 1, attributes: [{ name: "size", values: ["m"] }] },
    { onSale: true },
    { notBrands: ["noctis"] },
    { notAttributes: [{ name: "color", values: ["black"] }] },
    {},
  ];
  for (const filters of one)
    for (const isGrouped of [false, true]) {
      const asked = { text: "lamp", filters, everyWord: true, offset: 1, limit: 5 } as const;
      // The second time, counts of the first are used again.
      for (let time = 0; time < 2; time++) expectAgreement(index, naive, asked, isGrouped);
    }
});

it("returns only the values in which a word begins as typed, for one facet", () => {
  const [index] = replay(
    [
      [
        buildDocument(1, { fields: { brand: "Nordic Oak" }, attributes: [["color", "Navy Blue"]] }),
        buildDocument(2, { fields: { brand: "Noctis" }, attributes: [["color", "Blue"]] }),
        buildDocument(3, { fields: { brand: "Oak & Nørd" }, attributes: [["color", "Black"]] }),
      ],
    ],
    true,
  );
  const facetsOf = (beginning: FacetRequest["query"]) =>
    index.search({ text: "", offset: 0, limit: 0, facets: { ...everything, query: beginning } }).facets;
  const named = (entries: ReadonlyArray<{ value: string }> = []) => entries.map(({ value }) => value);
  expect(named(facetsOf({ facet: "brands", text: "NOR" }).brands)).toEqual(["Nordic Oak", "Oak & Nørd"]);
  expect(named(facetsOf({ facet: "brands", text: "oak nord" }).brands)).toEqual(["Oak & Nørd"]);
  expect(named(facetsOf({ facet: "brands", text: "or" }).brands)).toEqual([]);
  const { attributes, brands } = facetsOf({ facet: { attribute: "Color" }, text: "blu" });
  expect(named(attributes[0]?.values)).toEqual(["Blue", "Navy Blue"]);
  expect(brands).toHaveLength(3);
});

it("finds by the values of attributes and by every level of every category", () => {
  const [index] = replay(
    [
      [
        buildDocument(1, {
          fields: { name: "mug", category: "Mugs" },
          attributes: [
            ["color", "Red"],
            ["size", "M"],
          ],
          categoryPaths: [
            ["Home", "Kitchen", "Mugs"],
            ["Gifts", "Under ten"],
          ],
        }),
        buildDocument(2, { fields: { name: "mug", category: "Mugs" }, attributes: [["color", "Blue"]] }),
      ],
    ],
    true,
  );
  const find = (text: string) => index.search({ text, everyWord: true, offset: 0, limit: 5 }).rowIds;
  expect(find("red mug m")).toEqual([1]);
  expect(find("kitchen mug")).toEqual([1]);
  expect(find("gifts")).toEqual([1]);
  expect(find("blue mug")).toEqual([2]);
});

it.each(["size", "Shoe size"])(
  "needs no text that names the attribute of the value beside it: %s",
  (name) => {
    const trainers = ["41", "42"].map((size, i) =>
      buildDocument(i + 1, { fields: { name: "trainer", category: "Shoes" }, attributes: [[name, size]] }),
    );
    const sized = buildDocument(3, { fields: { name: "sizing glue, size 9", category: "Glue" } });
    const [index] = replay([[...trainers, sized]], true);
    const { rowIds: ids, words } = index.search({ text: "trainer size 42", offset: 0, limit: 5 });
    expect(ids[0]).toBe(2);
    expect(words.find(({ word }) => word === "size")).toMatchObject({ as: "optional" });
    expect(index.vocabulary.attributesNamedIn("trainers of size 42")).toEqual([name.toLowerCase()]);
  },
);

const everyFacet = { names: facetKinds, maxValues: 50, ignoreOwnFilter: true };

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
      facets: everyFacet,
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
