import fc from "fast-check";
import { expect, it } from "vitest";
import { createIndexWriter, emptySnapshot, externalDocuments, newToSample, openIndex } from "../src/index.ts";
import { documentArbitrary } from "./arbitraries.ts";
import { buildDocument } from "./build-document.ts";

it("a sample knows every word and every name of the catalog", () => {
  fc.assert(
    fc.property(fc.array(documentArbitrary, { maxLength: 40 }), fc.nat(5), (random, size) => {
      const documents = random.map((document, id) => ({ ...document, id }));
      const writer = createIndexWriter(emptySnapshot);
      for (let from = 0; from < documents.length; from += 7) {
        const batch = documents.slice(from, from + 7);
        const upserts = newToSample(openIndex(writer.snapshot), batch, {
          documents: size,
          words: 100,
          names: 100,
        });
        writer.apply({ upserts, deletes: [] }, from);
      }
      const held = documents.filter(({ id }) => writer.has(id));
      const all = externalDocuments(documents);
      for (const term of new Set(all.flatMap(({ terms }) => terms.map(([text]) => text)))) {
        if (/\d/.test(term)) continue;
        expect(externalDocuments(held).some(({ terms }) => terms.some(([text]) => text === term))).toBe(true);
      }
      const brands = (list: typeof documents) =>
        new Set(list.map(({ fields }) => fields.brand).filter((brand) => brand !== ""));
      expect(brands(held)).toEqual(brands(documents));
    }),
  );
});

it("stays small if documents add no new words", () => {
  const writer = createIndexWriter(emptySnapshot);
  const documents = Array.from({ length: 500 }, (_, id) => buildDocument(id, `lamp ${id % 5}`));
  for (let from = 0; from < documents.length; from += 50) {
    const batch = documents.slice(from, from + 50);
    const upserts = newToSample(openIndex(writer.snapshot), batch, { documents: 20, words: 100, names: 100 });
    writer.apply({ upserts, deletes: [] }, from);
  }
  expect(openIndex(writer.snapshot).documents).toBeLessThan(40);
});

it("has an end", () => {
  const documents = ["oak", "ash", "elm", "yew"].map((name, id) => buildDocument(id, name));
  const chosen = newToSample(openIndex(emptySnapshot), documents, { documents: 1, words: 3, names: 3 });
  expect(chosen.map(({ id }) => id)).toEqual([0, 1, 2]);
});

it("takes names for longer than words", () => {
  const brands = ["", "", "Lux", "Velo", "Noctis"];
  const documents = brands.map((brand, id) =>
    buildDocument(id, { fields: { name: `word${"abcde"[id]}`, brand } }),
  );
  const chosen = newToSample(openIndex(emptySnapshot), documents, { documents: 0, words: 1, names: 3 });
  expect(chosen.map(({ id }) => id)).toEqual([0, 2, 3]);
});

it("has the words of the values of each attribute, but no numbers", () => {
  const attributes = [
    ["fit", "M"],
    ["size", "M"],
    ["size", "M"],
    ["size", "42"],
  ] as const;
  const documents = attributes.map((attribute, id) =>
    buildDocument(id, { fields: { name: "Jersey M" }, attributes: [attribute] }),
  );
  const chosen = newToSample(openIndex(emptySnapshot), documents, { documents: 0, words: 9, names: 9 });
  expect(chosen.map(({ id }) => id)).toEqual([0, 1]);
});
