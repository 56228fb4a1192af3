import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSegmentBuilder, type IndexDocument } from "../src/index.ts";
import { documentArbitrary } from "./arbitraries.ts";

function bytesOf(documents: readonly IndexDocument[], maxCollected?: number): Buffer {
  const builder = createSegmentBuilder({}, maxCollected);
  for (const document of documents) builder.add(document);
  expect(builder.documents).toBe(documents.length);
  return Buffer.from(builder.build().buffer);
}

describe("a segment of many documents", () => {
  it("is built in parts, and has the same bytes", () => {
    const catalogs = fc.uniqueArray(documentArbitrary, {
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
