import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placePins, type SearchRules } from "../src/index.ts";
import { editArbitrary, queryArbitrary } from "./arbitraries.ts";
import { allPages, buildDocument, editedIndex, indexOf } from "./edited-index.ts";

const rulesArbitrary: fc.Arbitrary<SearchRules> = fc.record({
  hide: fc.array(fc.nat(60), { maxLength: 6 }),
  pin: fc.uniqueArray(fc.record({ rowId: fc.nat(60), position: fc.nat(12) }), {
    maxLength: 4,
    selector: ({ rowId }) => rowId,
    comparator: (one, other) => one === other,
  }),
  boosts: fc.array(
    fc.record({
      filters: fc.record({ brands: fc.constantFrom(["Noctis"], ["Bolt", "Äröma"]) }),
      factor: fc.constantFrom(0.1, 0.5, 2, 10),
    }),
    { maxLength: 2 },
  ),
});

const facets = { names: ["brands", "availability"], maxValues: 50, ignoreOwnFilter: true } as const;

describe("rules", () => {
  it("find what the search finds, without what is hidden, with what is pinned and passes the filters", () => {
    fc.assert(
      fc.property(
        fc.array(editArbitrary, { minLength: 1, maxLength: 4 }),
        queryArbitrary,
        rulesArbitrary,
        fc.boolean(),
        fc.integer({ min: 1, max: 7 }),
        (history, given, rules, everyWord, limit) => {
          const { index, naive } = editedIndex(history);
          const query = { ...given, everyWord, sort: "relevance" as const, order: "desc" as const };
          const { hide = [], pin = [] } = rules;
          const passing = new Set(naive.matches({ text: "", filters: query.filters }).map(({ id }) => id));
          const pinned = pin.map(({ rowId: id }) => id).filter((id) => passing.has(id) && !hide.includes(id));
          const unruled = allPages(index, query, 50);
          const expected = new Set([...unruled.filter((id) => !hide.includes(id)), ...pinned]);
          const found = allPages(index, { ...query, rules }, limit);
          expect(found.toSorted()).toEqual([...expected].toSorted());
          const { total, relatedRowIds: relatedIds } = index.search({ ...query, rules, relatedCount: 20 });
          expect(total).toBe(found.length);
          for (const id of relatedIds) expect([...hide, ...found]).not.toContain(id);
          // By a column, pins have no positions, and the products are the same.
          const byPrice = { ...query, rules, sort: "price" as const, order: undefined };
          const priced = allPages(index, byPrice, limit);
          expect(priced.toSorted()).toEqual(found.toSorted());
          const prices = priced.map((id) => naive.documents.get(id)?.priceMinor ?? 0);
          expect(prices).toEqual(prices.toSorted((a, b) => a - b));
        },
      ),
      { numRuns: 70 },
    );
  });

  it("count facets over the result, each without its own filter", () => {
    fc.assert(
      fc.property(
        fc.array(editArbitrary, { minLength: 1, maxLength: 3 }),
        queryArbitrary,
        rulesArbitrary,
        (history, given, rules) => {
          const { index, naive } = editedIndex(history);
          const query = { ...given, everyWord: true, sort: "relevance" as const };
          const { facets } = index.search({
            ...query,
            rules,
            facets: { names: ["brands", "rating"], maxValues: 50, ignoreOwnFilter: true },
          });
          const { hide = [], pin = [] } = rules;
          const filters = { ...query.filters, brands: undefined };
          const pins = naive
            .matches({ text: "", filters })
            .filter(({ id }) => pin.some((one) => one.rowId === id));
          const result = new Map(
            [...naive.matches({ ...query, filters }), ...pins]
              .filter(({ id }) => !hide.includes(id))
              .map((document) => [document.id, document.fields.brand]),
          );
          const counts = Map.groupBy([...result.values()], (brand) => brand);
          counts.delete("");
          expect(
            Object.fromEntries(facets.brands.map(({ value: name, count: documents }) => [name, documents])),
          ).toEqual(Object.fromEntries([...counts].map(([brand, all]) => [brand, all.length])));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("act on groups: each is one hit, and a pinned document is the hit of its group", () => {
    fc.assert(
      fc.property(
        fc.array(editArbitrary, { minLength: 1, maxLength: 4 }),
        queryArbitrary,
        rulesArbitrary,
        fc.integer({ min: 1, max: 7 }),
        (history, given, rules, limit) => {
          const groupOf = (id: number) => (id % 3 === 0 ? `alone ${id}` : `group ${id % 8}`);
          const { index } = editedIndex(
            history.map(({ upserts, deletes }) => ({
              upserts: upserts.map((one) => (one.id % 3 === 0 ? one : { ...one, group: groupOf(one.id) })),
              deletes,
            })),
          );
          const query = { ...given, everyWord: true, sort: "relevance" as const, order: "desc" as const };
          const { hide = [], pin = [], boosts = [] } = rules;
          const passing = new Set(allPages(index, { ...query, text: "" }, 50));
          const firstOf = <Item>(items: readonly Item[], idOf: (item: Item) => number) =>
            [...Map.groupBy(items, (item) => groupOf(idOf(item))).values()].flatMap(([first]) => first ?? []);
          const pinned = firstOf(
            pin
              .filter(({ rowId: id }) => passing.has(id) && !hide.includes(id))
              .toSorted((a, b) => a.position - b.position),
            ({ rowId: id }) => id,
          );
          const pinnedGroups = new Set(pinned.map(({ rowId: id }) => groupOf(id)));
          const ranked = allPages(index, { ...query, rules: { hide, boosts } }, 50);
          const others = firstOf(
            ranked.filter((id) => !pinnedGroups.has(groupOf(id))),
            (id) => id,
          );
          const whole = { offset: 0, limit: others.length + pinned.length };
          const expected = placePins(pinned, others.length, whole).fill(others);
          const grouped = { ...query, rules, grouped: { maxVariants: 50 } };
          expect(allPages(index, grouped, limit)).toEqual(expected);
          const found = index.search({ ...grouped, ...whole, facets });
          expect(found).toMatchObject({ rowIds: expected, total: expected.length });
          // Every match is a variant of its group's hit, and so is every pinned document that passes the filters.
          const members = new Set([
            ...ranked,
            ...pin.map(({ rowId: id }) => id).filter((id) => passing.has(id)),
          ]);
          for (const id of hide) members.delete(id);
          expect(found.groups.flatMap(({ rowIds: ids }) => ids).toSorted()).toEqual([...members].toSorted());
          const counted = found.facets.availability.reduce((sum, { count }) => sum + count, 0);
          expect(counted).toBeGreaterThanOrEqual(expected.length);
        },
      ),
      { numRuns: 70 },
    );
  });

  it("boosted documents rank as by a rule with the same factor, on every page", () => {
    fc.assert(
      fc.property(
        fc.array(editArbitrary, { minLength: 1, maxLength: 4 }),
        queryArbitrary,
        fc.constantFrom(1.5, 2, 10),
        fc.integer({ min: 1, max: 7 }),
        (history, given, boostFactor, limit) => {
          const { index } = editedIndex(history);
          const query = { ...given, sort: "relevance" as const, order: "desc" as const };
          const boosts = [{ filters: { boosted: true }, factor: boostFactor }];
          const expected =
            query.text.trim() === ""
              ? allPages(index, query, 50)
              : allPages(index, { ...query, rules: { boosts } }, 50);
          expect(allPages(index, { ...query, boostFactor }, limit)).toEqual(expected);
          const facets = { names: [], maxValues: 9, attributes: { frequent: 9, names: [] } };
          expect(index.search({ ...query, boostFactor, facets }).facets.attributes).toEqual([]);
        },
      ),
      { numRuns: 90 },
    );
  });

  it("raise documents by the only boost as among several rules, with the same counts", () => {
    const boostArbitrary = fc.record({
      filters: fc.oneof(
        fc.record({ brands: fc.constantFrom(["Noctis"], ["Bolt", "Äröma"]) }),
        fc.record({ categories: fc.constantFrom(["lamp"], ["oak", "velvet"]) }),
        fc.record({ brands: fc.constant(["Bolt"]), categories: fc.constant(["chair"]) }),
        fc.constant({}),
      ),
      rowIds: fc.option(fc.array(fc.nat(60), { maxLength: 9 }), { nil: undefined }),
      factor: fc.constantFrom(1, 1.25, 2, 10),
    });
    fc.assert(
      fc.property(
        fc.array(editArbitrary, { minLength: 1, maxLength: 4 }),
        queryArbitrary,
        boostArbitrary,
        fc.integer({ min: 1, max: 7 }),
        (history, given, boost, limit) => {
          const { index } = editedIndex(history);
          const query = { ...given, sort: "relevance" as const, order: "desc" as const };
          const alone = { ...query, rules: { boosts: [boost] } };
          // Nothing has this id, and rules that hide take the other way.
          const among = { ...query, rules: { boosts: [boost], hide: [1_000_000] } };
          expect(allPages(index, alone, limit)).toEqual(allPages(index, among, 50));
          const facets = { names: ["brands", "price"] as const, maxValues: 9, ignoreOwnFilter: true };
          const counted = { ...alone, facets, relatedCount: 5 };
          const { facets: counts, total, relatedRowIds: relatedIds } = index.search(counted);
          expect({ counts, total, relatedIds }).toEqual({
            counts: index.search({ ...among, facets }).facets,
            total: index.search(among).total,
            relatedIds: index.search({ ...among, relatedCount: 5 }).relatedRowIds,
          });
        },
      ),
      { numRuns: 90 },
    );
  });

  it("boosted documents of a long list are found wherever they are in it", () => {
    const many = indexOf(
      Array.from({ length: 5000 }, (_, id) =>
        buildDocument(id, {
          quality: 0,
          tie: id,
          boosted: id % 1000 === 999,
          fields: {
            name: id % 3 === 0 ? "lamp for a desk" : "lamp for the hall of a house",
            brand: "",
            store: "",
            description: "",
            category: "",
          },
        }),
      ),
    );
    const query = { text: "lamp", offset: 0, limit: 5 };
    expect(many.search({ ...query, boostFactor: 10 }).rowIds.toSorted((a, b) => a - b)).toEqual([
      999, 1999, 2999, 3999, 4999,
    ]);
    expect(
      many
        .search({ ...query, boostFactor: 10, grouped: { maxVariants: 0 } })
        .rowIds.toSorted((a, b) => a - b),
    ).toEqual([999, 1999, 2999, 3999, 4999]);
    expect(many.search(query).rowIds).not.toContain(999);
  });
});
