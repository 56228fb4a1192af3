import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createIndexWriter,
  emptySnapshot,
  externalDocuments,
  type IndexDocument,
  newToSample,
  openIndex,
  readForEngine,
  type TermQuestion,
  type TermReading,
  type TermWord,
  unknownTerms,
} from "../src/index.ts";
import { documentArbitrary, editArbitrary, queryArbitrary } from "./arbitraries.ts";
import { buildDocument } from "./edited-index.ts";

const unknownIds = 1_000_000;

type Held = ReturnType<typeof hold>;

function hold(document: IndexDocument) {
  const [external] = externalDocuments([document]);
  return {
    document,
    keys: external?.keys ?? [],
    terms: new Map(external?.terms),
    valueClass: external?.valueClass,
  };
}

/** The points of a document for a word, 0 if it does not have it. */
function points({ terms }: Held, { ways, weight }: TermWord): number {
  const impacts = ways.map((way) => {
    const least = Math.min(...way.terms.map((term) => terms.get(term) ?? 0));
    return least === 0 ? 0 : Math.max(1, Math.round(least * way.weight));
  });
  return Math.max(0, ...impacts) * weight;
}

function hasAll(held: Held, words: readonly TermWord[]): boolean {
  const required = words.filter(({ isRequired }) => isRequired);
  return required.length > 0 && required.every((word) => points(held, word) > 0);
}

function has(held: Held, question: TermQuestion): boolean {
  return question.kind === "key" ? held.keys.includes(question.key) : hasAll(held, question.words);
}

function matches(held: Held, { finds, key, words }: TermReading): boolean {
  if (finds !== "words") return finds === "everything";
  return hasAll(held, words) || (key !== undefined && held.keys.includes(key));
}

/** The simplest possible engine: it checks every document. */
function search(held: readonly Held[], index: ReturnType<typeof openIndex>, text: string) {
  const steps = readForEngine(index, { text, offset: 0, limit: 100 });
  let step = steps.next();
  while (!step.done) {
    const question = step.value;
    step = steps.next(held.some((one) => has(one, question)));
  }
  const reading = step.value;
  const hits = held
    .filter((one) => matches(one, reading))
    .map((one) => {
      const isMeant = reading.key !== undefined && one.keys.includes(reading.key);
      const score = reading.words.reduce((sum, word) => sum + points(one, word), isMeant ? 1e9 : 0);
      const { id, fields, tie, quality } = one.document;
      return { id, score, name: fields.name, tie, quality };
    })
    .sort((a, b) => b.score - a.score || b.quality - a.quality || a.tie - b.tie);
  // With other ids, the index does not know these hits, and reads their names instead.
  const others = hits.map((hit) => ({ ...hit, id: hit.id % 3 === 0 ? hit.id : hit.id + unknownIds }));
  return {
    total: hits.length,
    ids: reading.rankByNames(hits),
    idsByNames: reading.rankByNames(others).map((id) => id % unknownIds),
  };
}

describe("an engine that searches by terms", () => {
  it("finds the same as the index, in the same order", () => {
    fc.assert(
      fc.property(editArbitrary, queryArbitrary, ({ upserts }, { text }) => {
        const documents = upserts.map((document) => ({ ...document, tie: document.id }));
        const index = openIndex(
          createIndexWriter(emptySnapshot).apply({ upserts: documents, deletes: [] }, 1),
        );
        const expected = index.search({ text, offset: 0, limit: 100 });
        const { total, ids, idsByNames } = search(documents.map(hold), index, text);
        expect(total).toBe(expected.total);
        expect(ids).toEqual(expected.rowIds);
        expect(idsByNames).toEqual(expected.rowIds);
      }),
      { numRuns: 150 },
    );
  });

  const documents = [
    buildDocument(1, "Brass desk lamp"),
    buildDocument(2, "Desk of oak, for a lamp"),
    buildDocument(3, "Lampshade 12 in"),
    buildDocument(4, { keys: ["SKU-1"], fields: { name: "Oak bookshelf", description: "Without a lamp" } }),
    buildDocument(5, { fields: { name: "Bicycle pump", brand: "Velo" }, priceMinor: 4999, rating: 4.5 }),
  ];
  const index = openIndex(createIndexWriter(emptySnapshot).apply({ upserts: documents, deletes: [] }, 1));
  const held = documents.map(hold);

  it("asks for a word that only the engine has, once it is told of it", () => {
    expect(unknownTerms(index, "zx81 lamp")).toEqual(["zx", "81", "zx81"]);
    const further = new Map([["zx81", 3]]);
    const question = (counts: typeof further) => {
      const steps = readForEngine(index, { text: "zx81 lamp", offset: 0, limit: 10 }, counts);
      steps.next();
      return steps.next(false).value;
    };
    expect(question(new Map())).toMatchObject({ words: [{ ways: [{ terms: ["lamp"] }] }] });
    expect(question(further)).toMatchObject({
      words: [{ ways: [{ terms: ["zx81"] }] }, { ways: [{ terms: ["lamp"] }] }],
    });
  });

  it.each([
    "lamp",
    "brass lmap",
    "desk lamp for reading",
    "sku 1",
    "lam",
    "book shelf",
    "12 inch lamp shade",
    "bike pump",
    "red umbrella",
    "velo zzyzx",
    "",
    "?!",
  ])("agrees on %j", (text) => {
    const expected = index.search({ text, offset: 0, limit: 100 });
    const { total, ids } = search(held, index, text);
    expect([total, ids]).toEqual([expected.total, expected.rowIds]);
  });
});

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
