import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createIndexWriter,
  createSegmentBuilder,
  emptySnapshot,
  type IndexDocument,
  openIndex,
  type SearchQuery,
  type SearchRules,
  snapshotOf,
  type TextIndex,
} from "../src/index.ts";
import { editArbitrary, queryArbitrary } from "./arbitraries.ts";
import { buildDocument } from "./build-document.ts";
import { NaiveIndex } from "./naive-index.ts";

const rulesArbitrary: fc.Arbitrary<SearchRules> = fc.record({
  hide: fc.array(fc.nat(60), { maxLength: 6 }),
  pin: fc.uniqueArray(fc.record({ id: fc.nat(60), position: fc.nat(12) }), {
    maxLength: 4,
    selector: ({ id }) => id,
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

function allPages(index: TextIndex, query: SearchQuery, limit: number): number[] {
  const ids: number[] = [];
  for (let offset = 0; ; offset += limit) {
    const page = index.search({ ...query, offset, limit });
    ids.push(...page.ids);
    if (page.ids.length < limit) return ids;
  }
}

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
          const writer = createIndexWriter(emptySnapshot);
          const naive = new NaiveIndex();
          history.forEach((edit, i) => {
            writer.apply(edit, i + 1);
            naive.apply(edit.upserts, edit.deletes);
          });
          const index = openIndex(writer.snapshot);
          const query = { ...given, everyWord, sort: "relevance" as const, order: "desc" as const };
          const { hide = [], pin = [] } = rules;
          const passing = new Set(naive.matches({ text: "", filters: query.filters }).map(({ id }) => id));
          const pinned = pin.map(({ id }) => id).filter((id) => passing.has(id) && !hide.includes(id));
          const unruled = allPages(index, query, 50);
          const expected = new Set([...unruled.filter((id) => !hide.includes(id)), ...pinned]);
          const found = allPages(index, { ...query, rules }, limit);
          expect(found.toSorted()).toEqual([...expected].toSorted());
          const { total, relatedIds } = index.search({ ...query, rules, related: 20 });
          expect(total).toBe(found.length);
          for (const id of relatedIds) expect([...hide, ...found]).not.toContain(id);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("count facets over the result, each without its own filter", () => {
    fc.assert(
      fc.property(
        fc.array(editArbitrary, { minLength: 1, maxLength: 3 }),
        queryArbitrary,
        rulesArbitrary,
        (history, given, rules) => {
          const writer = createIndexWriter(emptySnapshot);
          const naive = new NaiveIndex();
          history.forEach((edit, i) => {
            writer.apply(edit, i + 1);
            naive.apply(edit.upserts, edit.deletes);
          });
          const query = { ...given, everyWord: true, sort: "relevance" as const };
          const { facets } = openIndex(writer.snapshot).search({
            ...query,
            rules,
            facets: { of: ["brands", "rating"], limit: 50, ignoreOwnFilter: true },
          });
          const { hide = [], pin = [] } = rules;
          const filters = { ...query.filters, brands: undefined };
          const pins = naive
            .matches({ text: "", filters })
            .filter(({ id }) => pin.some((one) => one.id === id));
          const result = new Map(
            [...naive.matches({ ...query, filters }), ...pins]
              .filter(({ id }) => !hide.includes(id))
              .map((document) => [document.id, document.fields.brand]),
          );
          const counts = Map.groupBy([...result.values()], (brand) => brand);
          counts.delete("");
          expect(Object.fromEntries(facets.brands.map(({ name, documents }) => [name, documents]))).toEqual(
            Object.fromEntries([...counts].map(([brand, all]) => [brand, all.length])),
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  const indexOf = (documents: readonly IndexDocument[]) => {
    const builder = createSegmentBuilder();
    for (const document of documents) builder.add(document);
    return openIndex(snapshotOf(builder.build(), 1));
  };
  const lamps = indexOf(
    ["Noctis", "Bolt", "Noctis", "Bolt"].map((brand, id) =>
      buildDocument(id, {
        quality: 90 - id,
        fields: { name: "lamp", brand, store: "", description: "", category: "" },
      }),
    ),
  );
  const find = (rules: SearchRules, query: Partial<SearchQuery> = {}) =>
    lamps.search({ text: "lamp", offset: 0, limit: 10, rules, ...query }).ids;

  it("raise and lower documents by the factor of their score", () => {
    expect(find({})).toEqual([0, 1, 2, 3]);
    expect(find({ boosts: [{ filters: { brands: ["bolt"] }, factor: 2 }] })).toEqual([1, 3, 0, 2]);
    expect(find({ boosts: [{ filters: {}, ids: [0], factor: 0.5 }] })).toEqual([1, 2, 3, 0]);
  });

  it("pin documents to their positions, behind the last one at the end", () => {
    expect(find({ pin: [{ id: 3, position: 1 }] })).toEqual([0, 3, 1, 2]);
    expect(
      find({
        pin: [
          { id: 0, position: 9 },
          { id: 1, position: 8 },
        ],
      }),
    ).toEqual([2, 3, 1, 0]);
    expect(find({ pin: [{ id: 3, position: 0 }], hide: [3] })).toEqual([0, 1, 2]);
    expect(find({ pin: [{ id: 3, position: 0 }] }, { filters: { brands: ["Noctis"] } })).toEqual([0, 2]);
    expect(find({ pin: [{ id: 3, position: 2 }] }, { text: "zzz" })).toEqual([3]);
  });
});
