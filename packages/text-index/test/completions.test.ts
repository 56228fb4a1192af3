import { describe, expect, it } from "vitest";
import { createSegmentBuilder, type IndexDocument, openIndex, snapshotOf } from "../src/index.ts";
import { maxCompletions } from "../src/query/read-word.ts";
import { buildDocument } from "./build-document.ts";

const wordsEach = 1000;

/** Lamps with so many different words that begin with 40. Most words are in two documents, one after the other. */
function lamps(words: number): IndexDocument[] {
  const numbers = Array.from({ length: words }, (_, i) => `40${100_000 + i}`);
  return Array.from({ length: Math.ceil((2 * words) / wordsEach) }, (_, id) => {
    const start = (id * wordsEach) / 2;
    const description = numbers.slice(start, start + wordsEach).join(" ");
    return buildDocument(id, { fields: { name: "brass lamp", description } });
  });
}

function indexOf(documents: readonly IndexDocument[], segments: number) {
  const parts = Array.from({ length: segments }, (_, segment) => {
    const builder = createSegmentBuilder();
    for (const document of documents) if (document.id % segments === segment) builder.add(document);
    return snapshotOf(builder.build(), 1).segments;
  });
  return openIndex({ sequence: 1, segments: parts.flat() });
}

describe.each([1, 3])("completions in %i segments", (segments) => {
  it("are all words that begin with the last word", () => {
    const index = indexOf(lamps(maxCompletions), segments);
    const { total, words } = index.search({ text: "lamp 40", offset: 0, limit: 10 });
    expect(words[1]?.as).toBe("completed");
    expect(total).toBe(index.documents);
  });

  it("are none if these are too many", () => {
    const index = indexOf(lamps(maxCompletions + 1), segments);
    const search = (text: string) => index.search({ text, offset: 0, limit: 10 });
    expect(search("lamp 40").words[1]?.as).toBe("unknown");
    expect(search("40").total).toBe(0);
    expect(search("lamp 40100").words[1]?.as).toBe("completed");
  });

  it.each([
    [
      "are added to a known word of which no document has the others",
      maxCompletions,
      (2 * maxCompletions) / wordsEach,
    ],
    ["are not added to a known word if they are too many", maxCompletions + 1, 0],
  ])("%s", (_, words, expected) => {
    const known = buildDocument(100, "tin 40");
    const index = indexOf([...lamps(words - 1), known], segments);
    const total = (text: string) => index.search({ text, offset: 0, limit: 10, everyWord: true }).total;
    expect([total("lamp 40"), total("tin 40")]).toEqual([expected, 1]);
  });
});
