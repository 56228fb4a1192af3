import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSegmentBuilder, english, type IndexDocument } from "../src/index.ts";
import { german } from "../src/language/german.ts";
import { documentArbitrary } from "./arbitraries.ts";

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
