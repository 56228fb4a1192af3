import { languageCodes } from "@product-search/core/domain/languages/languages.ts";
import type { AnswerProduct } from "@product-search/core/ports/answer-writer.ts";
import { expect, it, test } from "vitest";
import { wordingOf } from "./wording.ts";

/** Each text by its path: "pick.only". */
function pathsOf(texts: object, path = ""): [path: string, text: string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === "string" ? [[`${path}${key}`, value]] : pathsOf(value, `${path}${key}.`),
  );
}

/** A language may quote the description where another does not, but every product and word must be named. */
const placeholders = (text: string): string[] =>
  [...new Set(text.match(/\{(?!offers|mentions)[\w.]+\}/g))].toSorted();

const english = new Map(pathsOf(wordingOf("en").texts));

test.each(languageCodes.filter((language) => language !== "en"))(
  "%s has every text, with the same facts",
  (language) => {
    const texts = new Map(pathsOf(wordingOf(language).texts));
    expect([...texts.keys()].toSorted()).toEqual([...english.keys()].toSorted());
    for (const [path, text] of texts)
      expect([path, placeholders(text)]).toEqual([path, placeholders(english.get(path) ?? "")]);
  },
);

it("fills placeholders with references, and leaves those that the service fills", () => {
  const { fill } = wordingOf("en");
  const best: AnswerProduct = {
    reference: "p3",
    name: "Lamp",
    storeName: "Store",
    priceMinor: 100,
    reviewCount: 0,
    availability: "in_stock",
    description: "",
    quoteIsReason: false,
    isNamed: true,
    speakable: true,
  };
  expect(fill("{total}: {best.name}{rated}", { best, rated: ", {best.rating} stars" })).toBe(
    "{total}: {p3.name}, {p3.rating} stars",
  );
});
