import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSegmentBuilder, english, type IndexDocument } from "../src/index.ts";
import { german } from "../src/language/languages.ts";
import { openSegment } from "../src/segment/segment.ts";
import { compareCodePoints, sortCodePoints, stringAt } from "../src/segment/string-table.ts";
import { tagsOf } from "../src/segment/tags.ts";
import { documentArbitrary } from "./arbitraries.ts";

// Names that differ only in case and accents, and those that cannot be a tag.
const attribute = fc.tuple(
  fc.constantFrom("Color", "color", " cólor", "Size", "", "\u0001x", "a\u0000b"),
  fc.constantFrom("Red", "red", "réd", "", "x\u0000y"),
);
const path = fc.array(fc.constantFrom("Home", "HOME", "Sofas", "Home > Sofas", ""), { maxLength: 3 });

const documents: fc.Arbitrary<IndexDocument[]> = fc.uniqueArray(
  fc
    .tuple(
      documentArbitrary,
      fc.array(attribute, { maxLength: 5 }),
      fc.option(fc.array(path, { maxLength: 3 }), { nil: undefined }),
    )
    .map(([one, attributes, categoryPaths]) => ({ ...one, attributes, categoryPaths })),
  { selector: ({ id }) => id, minLength: 1, maxLength: 12 },
);

function build(all: readonly IndexDocument[]) {
  const builder = createSegmentBuilder();
  for (const document of all) builder.add(document);
  return openSegment(builder.build());
}

describe("collected documents", () => {
  it("have the tags of each document", () => {
    fc.assert(
      fc.property(documents, (all) => {
        const { sections, tags } = build(all);
        const byId = new Map(all.map((document) => [document.id, document]));
        sections.ids.forEach((id, doc) => {
          const rows = sections.tagRows.subarray(sections.tagStarts[doc], sections.tagStarts[doc + 1]);
          const texts = Array.from(rows, (tag) => stringAt(tags, tag));
          const document = byId.get(id);
          expect(texts).toEqual(document && [...tagsOf(document)].sort(compareCodePoints));
        });
      }),
    );
  });

  it("are ordered by quality, tie and id", () => {
    fc.assert(
      fc.property(documents, (all) => {
        const inOrder = all.toSorted(
          (a, b) => Math.fround(b.quality) - Math.fround(a.quality) || a.tie - b.tie || a.id - b.id,
        );
        const { sections } = build(all);
        expect(Array.from(sections.ids)).toEqual(inOrder.map(({ id }) => id));
        expect(Array.from(sections.ties)).toEqual(inOrder.map(({ tie }) => tie));
      }),
    );
  });
});

describe("strings", () => {
  it("are sorted by code point, whatever their characters", () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "é", "\uffee", "😀") }));
    fc.assert(
      fc.property(texts, (strings) => {
        expect(sortCodePoints([...strings])).toEqual(strings.toSorted(compareCodePoints));
      }),
    );
  });
});

function bytesOf(documents: readonly IndexDocument[], maxCollected?: number): Buffer {
  const builder = createSegmentBuilder({ languages: [english, german] }, maxCollected);
  for (const document of documents) builder.add(document);
  expect(builder.documents).toBe(documents.length);
  return Buffer.from(builder.build().buffer);
}

describe("a segment of many documents", () => {
  it("is built in parts, and has the same bytes", () => {
    const inAnyLanguage = fc
      .tuple(documentArbitrary, fc.constantFrom(undefined, "en", "de"))
      .map(([document, language]) => ({ ...document, language }));
    const catalogs = fc.uniqueArray(inAnyLanguage, {
      minLength: 1,
      maxLength: 40,
      selector: ({ id }) => id,
    });
    fc.assert(
      fc.property(catalogs, fc.integer({ min: 1, max: 10 }), (documents, maxCollected) => {
        expect(bytesOf(documents, maxCollected).equals(bytesOf(documents))).toBe(true);
      }),
    );
  });
});
