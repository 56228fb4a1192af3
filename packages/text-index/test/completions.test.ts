import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { createSegmentBuilder, type IndexDocument, openIndex, snapshotOf } from "../src/index.ts";
import { maxCompletions } from "../src/query/read-word.ts";
import { PrefixDistance, SortedPrefixDistance, WordNeighbours } from "../src/search/word-neighbours.ts";
import { openSegment } from "../src/segment/segment.ts";
import { compareCodePoints, packStrings, sharedLetters } from "../src/segment/string-table.ts";
import { buildDocument } from "./edited-index.ts";

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

const sorted = (words: readonly string[]) => [...new Set(words)].sort(compareCodePoints);

test("letters are shared as a whole, not by the bytes of their encoding", () => {
  const table = packStrings(
    sorted(["lamb", "lamp", "lamps", "sé", "sè", "séa", "シャ", "ショ", "\u{1f600}", "\u{1f601}"]),
  );
  expect([...sharedLetters(table)]).toEqual([0, 3, 4, 0, 1, 2, 0, 1, 0, 0]);
});

test("the distances to sorted words are those to each word alone", () => {
  // Few letters, so that many words begin alike.
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "é", "è", "シ", "\u{1f600}"), maxLength: 9 });
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 40 }),
      fc.tuple(word, word).map((parts) => parts.join("")),
      fc.constantFrom(1, 2),
      (words, typed, limit) => {
        const texts = sorted(words);
        const table = packStrings(texts);
        const shared = sharedLetters(table);
        const together = new SortedPrefixDistance(typed, limit);
        const alone = new PrefixDistance(typed, limit);
        let lettersForSame = Number.POSITIVE_INFINITY;
        let last = 0;
        texts.forEach((text, i) => {
          const letters = shared[i] ?? 0;
          if (letters < lettersForSame) {
            last = together.next(table.bytes, table.offsets[i] ?? 0, table.offsets[i + 1] ?? 0, letters);
            ({ lettersForSame } = together);
          }
          expect(Math.min(last, limit + 1), `${typed}, ${text}`).toBe(alone.to(text));
        });
      },
    ),
    { numRuns: 2000 },
  );
});

function neighboursOf(names: readonly string[]): WordNeighbours {
  const builder = createSegmentBuilder();
  names.forEach((name, id) => {
    builder.add(buildDocument(id, name));
  });
  return new WordNeighbours(openSegment(builder.build()));
}

const names = [
  ...Array.from({ length: 40 }, () => "vacuum cleaner"),
  "vaccum",
  "vacuums",
  "vaccume",
  "cleanor",
];

test("words are found by their distance, shortest first, then in alphabetical order", () => {
  const found = neighboursOf(names).find("vaccuum", 1);
  expect(found).toEqual([
    { word: "vaccum", distance: 1 },
    { word: "vacuum", distance: 1 },
  ]);
});

test("a search for frequent words does not look at rare ones, and finds every frequent one", () => {
  const neighbours = neighboursOf(names);
  expect(neighbours.find("vaccuum", 1, 40)).toEqual([{ word: "vacuum", distance: 1 }]);
  expect(neighbours.find("cleanor", 1, 40)).toEqual([{ word: "cleaner", distance: 1 }]);
  expect(neighbours.find("cleanor", 1)).toHaveLength(2);
});
