import { describe, expect, it } from "vitest";
import {
  createSegmentBuilder,
  includedLanguages,
  type Language,
  openIndex,
  snapshotOf,
} from "../src/index.ts";
import { buildDocument } from "./build-document.ts";

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
