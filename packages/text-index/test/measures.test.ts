import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createIndexWriter,
  createSegmentBuilder,
  emptySnapshot,
  includedLanguages,
  type Language,
  openIndex,
  snapshotOf,
} from "../src/index.ts";
import { buildDocument } from "./edited-index.ts";

/** The same amount in other units, then another amount; in the name and in an attribute. */
const amounts = [
  ["1.7 l", "1700 ml", "170 cl", "1,7 Liter", "1 l"],
  ["0.75 kg", "750 g", "750 grams", "0,75 Kilo", "75 g"],
  ["1500 W", "1.5 kW", "1500 watts", "1,5 kw", "150 w"],
  ["35 cm", "350 mm", "0.35 m", "3.5 dm", "35 mm"],
  ["2 TB", "2000 GB", "2 tb", "2,000 gb", "200 gb"],
  ["10 Ah", "10000 mAh", "10,000 mah", "10ah", "100 mah"],
  ["90 min", "90 minutes", "1.5 hours", "90 mins", "9 min"],
  ["1 lb", "16 oz", "1 pound", "16 ounces", "1 oz"],
] as const;

function indexOf(values: readonly string[], language: Language) {
  const builder = createSegmentBuilder({ languages: [language] });
  values.forEach((value, at) => {
    builder.add(buildDocument(2 * at, `Vessel ${value}`));
    builder.add(
      buildDocument(2 * at + 1, { fields: { name: "Vessel blue" }, attributes: [["size", value]] }),
    );
  });
  return openIndex(snapshotOf(builder.build(), 1), undefined, [language]);
}

describe("numbers with units", () => {
  it.each(amounts)("are compared by value: %s", (...values) => {
    for (const language of [includedLanguages.en, includedLanguages.de]) {
      const index = indexOf(values, language);
      for (const value of values.slice(0, 4))
        for (const text of [`vessel ${value}`, `${value} vessel`]) {
          const { rowIds: ids, words } = index.search({ text, offset: 0, limit: 20 });
          expect(
            ids.toSorted((a, b) => a - b),
            text,
          ).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
          expect(
            words.every(({ as }) => as === "matched"),
            text,
          ).toBe(true);
        }
    }
  });

  it("stay sizes and letters where these are no units", () => {
    const builder = createSegmentBuilder();
    builder.add(buildDocument(1, "Phone 6 s"));
    builder.add(buildDocument(2, "Shirt size S"));
    const index = openIndex(snapshotOf(builder.build(), 1));
    expect(index.search({ text: "phone 6s", offset: 0, limit: 5 }).rowIds).toEqual([1]);
    expect(index.search({ text: "shirt s", offset: 0, limit: 5 }).rowIds).toEqual([2]);
  });
});

/** Grams, and how they are written. */
const spellings: ReadonlyArray<(grams: number) => string> = [
  (grams) => `${grams} g`,
  (grams) => `${grams}g`,
  (grams) => `${(grams / 1000).toFixed(4)} kg`,
  (grams) => `${grams.toLocaleString("en", { maximumFractionDigits: 1 })} Gram`,
  (grams) => `${String(grams).replace(".", ",")} gr.`,
  // Most have the unit gram, so a number without one is taken to have it.
  (grams) => String(grams),
];
// Most are small, and all have at most one decimal.
const grams = fc.oneof(
  fc.integer({ min: 0, max: 9 }),
  fc.integer({ min: -300, max: 3000 }).map((tenths) => tenths / 10),
  fc.integer({ min: 0, max: 9_000_000 }),
);
const weight = fc.record({ grams, spell: fc.nat({ max: spellings.length - 1 }) });
const noneOrSome = fc.oneof(fc.constant([]), fc.array(weight, { minLength: 1, maxLength: 3 }));
const bound = fc.option(fc.record({ value: grams, isExcluded: fc.boolean() }), { nil: undefined });
const weightRange = fc.record({ min: bound, max: bound });

describe("an attribute with as many values as documents", () => {
  it("is filtered, sorted and counted as if each document were read", () => {
    fc.assert(
      fc.property(
        fc.array(noneOrSome, { minLength: 1, maxLength: 40, size: "max" }),
        fc.array(weightRange, { minLength: 1, maxLength: 5 }),
        (weights, ranges) => {
          const inGrams = weights.flatMap(() => [[{ grams: 1, spell: 0 }], [], [{ grams: 1, spell: 0 }]]);
          const documents = [...weights, ...inGrams].map((own) => ({
            grams: own.map((one) => one.grams),
            // In the two segments, the name is written in two ways.
            texts: own.map(({ grams: number, spell }) => spellings[spell]?.(number) ?? ""),
          }));
          const writer = createIndexWriter(emptySnapshot);
          const half = weights.length >> 1;
          const upserts = documents.map(({ texts }, id) =>
            buildDocument(id, {
              fields: { name: id % 5 === 0 ? "lamp" : "vase" },
              attributes: [
                ...texts.map((text) => [id < half ? "Weight" : "weight", text] as const),
                ...texts.slice(0, 1).map((text) => ["mass", text] as const),
              ],
            }),
          );
          for (const batch of [upserts.slice(0, half), upserts.slice(half)])
            for (const step of writer.add({ upserts: batch, deletes: [] }, 1)) void step;
          const index = openIndex(writer.snapshot);
          const page = { text: "", offset: 0, limit: documents.length };
          const gramsOf = (id: number) => documents[id]?.grams ?? [];
          const withWeight = documents.flatMap((document, id) => (document.grams.length > 0 ? id : []));
          const exact = withWeight.flatMap(gramsOf).map((value) => ({ value, isExcluded: false }));
          for (const { min, max } of [...ranges, ...exact.map((one) => ({ min: one, max: one }))]) {
            const isWithin = (number: number) =>
              (min === undefined || (min.isExcluded ? number > min.value : number >= min.value)) &&
              (max === undefined || (max.isExcluded ? number < max.value : number <= max.value));
            const passing = withWeight.filter((id) => gramsOf(id).some(isWithin));
            const { rowIds, facets } = index.search({
              ...page,
              filters: { ranges: [{ name: "weight", min, max }] },
              facets: { names: [], maxValues: 3, attributes: { frequent: 0, names: ["weight"] } },
            });
            expect(rowIds.toSorted((a, b) => a - b)).toEqual(passing);
            // Of a few documents, each is looked at. One has one mass, and perhaps several weights.
            for (const [name, count] of [
              ["mass", 1],
              ["weight", 3],
            ] as const) {
              const lamps = index.search({
                ...page,
                text: "lamp",
                filters: { ranges: [{ name, min, max }] },
              });
              expect(lamps.rowIds.toSorted((a, b) => a - b)).toEqual(
                withWeight.filter((id) => id % 5 === 0 && gramsOf(id).slice(0, count).some(isWithin)),
              );
            }
            const { range, values = [] } = facets.attributes[0] ?? {};
            const numbers = passing.flatMap(gramsOf);
            expect([range?.min, range?.max]).toEqual(
              numbers.length > 0 ? [Math.min(...numbers), Math.max(...numbers)] : [undefined, undefined],
            );
            expect(values.map(({ count }) => count)).toEqual(
              countsOf(passing.flatMap((id) => [...new Set(documents[id]?.texts)])).slice(0, 3),
            );
          }
          for (const [order, best] of [
            ["asc", Math.min],
            ["desc", Math.max],
          ] as const) {
            const { rowIds } = index.search({ ...page, sort: "attributes.weight", order });
            const sorted = rowIds.map((id) => (gramsOf(id).length > 0 ? best(...gramsOf(id)) : undefined));
            const numbers = withWeight.map((id) => best(...gramsOf(id))).sort((a, b) => a - b);
            if (order === "desc") numbers.reverse();
            expect(sorted).toEqual(documents.map((_, i) => numbers[i]));
          }
          for (const text of documents.slice(0, 3).flatMap(({ texts }) => texts)) {
            const { rowIds } = index.search({
              ...page,
              filters: { attributes: [{ name: "weight", values: [text] }] },
            });
            expect(rowIds.toSorted((a, b) => a - b)).toEqual(
              documents.flatMap(({ texts }, id) => (texts.includes(text) ? id : [])),
            );
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

/** How often each text occurs, the most frequent first. */
function countsOf(texts: readonly string[]): number[] {
  const byText = Map.groupBy(texts, (text) => text);
  return Array.from(byText.values(), ({ length }) => length).sort((a, b) => b - a);
}
