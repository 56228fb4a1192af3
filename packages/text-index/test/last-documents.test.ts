import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editArbitrary, queryArbitrary } from "./arbitraries.ts";
import { allPages, buildDocument, editedIndex, indexOf } from "./edited-index.ts";

const soldOut = 1;
const factors = [{ filters: { brands: ["Noctis"] }, factor: 1.7 }];

const ids = (most: number) => Array.from({ length: most }, (_, i) => i + 1);

/** The same order, but for those of the set. */
const behind = (found: readonly number[], last: (id: number) => boolean) => [
  ...found.filter((id) => !last(id)),
  ...found.filter(last),
];

describe("documents that come last", () => {
  it("change the order by relevance alone, whatever the text, filters, boosts and pins", () => {
    fc.assert(
      fc.property(
        fc.array(editArbitrary, { minLength: 1, maxLength: 4 }),
        queryArbitrary,
        fc.integer({ min: 1, max: 7 }),
        fc.constantFrom("plain", "ruled", "boosted"),
        fc.nat(60),
        (history, given, limit, kind, pinnedId) => {
          const { index, naive } = editedIndex(history);
          const isLast = (id: number) => naive.documents.get(id)?.availability === soldOut;
          const changes =
            kind === "plain" ? {} : kind === "ruled" ? { rules: { boosts: factors } } : { boostFactor: 2 };
          const query = { ...given, ...changes, sort: "relevance" as const };
          const last = { ...query, lastAvailability: soldOut };
          const expected = behind(allPages(index, query, 50), isLast);
          expect(allPages(index, last, limit)).toEqual(expected);
          const byPrice = { ...query, sort: "price" as const };
          expect(allPages(index, { ...byPrice, lastAvailability: soldOut }, limit)).toEqual(
            allPages(index, byPrice, 50),
          );
          const rules = { boosts: kind === "ruled" ? factors : [], pin: [{ rowId: pinnedId, position: 1 }] };
          const pinned = allPages(index, { ...last, rules }, limit);
          expect(pinned.filter((id) => id !== pinnedId)).toEqual(expected.filter((id) => id !== pinnedId));
          expect(pinned.indexOf(pinnedId)).toBe(allPages(index, { ...query, rules }, 50).indexOf(pinnedId));
        },
      ),
      { numRuns: 100 },
    );
  });

  it("are behind the border in pages of any size, where hits are no longer ranked by their names", () => {
    const index = indexOf(
      ids(600).map((id) =>
        buildDocument(id, {
          fields: { name: id % 4 === 0 ? "Lamp" : `Lamp of oak ${id}` },
          availability: id % 3 === 0 ? soldOut : 0,
        }),
      ),
    );
    for (const text of ["lamp", "oak lamp", ""]) {
      const query = { text, lastAvailability: soldOut };
      const whole = allPages(index, query, 1000);
      const border = whole.findIndex((id) => id % 3 === 0);
      expect(whole.slice(0, border).every((id) => id % 3 !== 0)).toBe(true);
      expect(whole.slice(border).every((id) => id % 3 === 0)).toBe(true);
      for (const limit of [7, 64, 128, 199]) expect(allPages(index, query, limit)).toEqual(whole);
      expect(whole.toSorted()).toEqual(allPages(index, { text }, 1000).toSorted());
    }
  });

  it("do not make a group last while another member matches", () => {
    // Of each group of four one is in stock, by no means the best; every fifth group has none.
    const documents = ids(400).map((id) => {
      const group = Math.floor((id - 1) / 4);
      const inStock = id % 4 === 0 && group % 5 !== 0;
      const name = id % 4 === 0 ? `Green lamp ${id} of glass with a long name` : "Lamp";
      return buildDocument(id, { fields: { name }, group: `g${group}`, availability: inStock ? 0 : soldOut });
    });
    const index = indexOf(documents);
    const query = { text: "lamp", grouped: { maxVariants: 4 }, lastAvailability: soldOut };
    const found = allPages(index, query, 9);
    expect(found).toHaveLength(100);
    expect(found.slice(0, 80).every((id) => id % 4 === 0)).toBe(true);
    expect(found.slice(80).every((id) => Math.floor((id - 1) / 4) % 5 === 0)).toBe(true);
    expect(index.search({ ...query, offset: 0, limit: 1 }).groups[0]?.count).toBe(4);
    // No member in stock matches "lamp" without "green".
    const without = { ...query, filters: { withoutWords: ["green"] } };
    expect(allPages(index, without, 9)).toEqual(
      allPages(index, { ...without, lastAvailability: undefined }, 9),
    );
  });

  it("come last among suggested documents", () => {
    const index = indexOf(
      ids(8).map((id) =>
        buildDocument(id, {
          fields: { name: "Brass lamp" },
          quality: 10 - id,
          availability: id < 5 ? soldOut : 0,
        }),
      ),
    );
    const ask = { text: "brass la", queryLimit: 3, nameLimit: 0, productLimit: 5 };
    expect(index.suggest(ask).rowIds).toEqual([1, 2, 3, 4, 5]);
    expect(index.suggest({ ...ask, lastAvailability: soldOut }).rowIds).toEqual([5, 6, 7, 8, 1]);
  });
});
