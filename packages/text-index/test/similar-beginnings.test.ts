import fc from "fast-check";
import { expect, test } from "vitest";
import { compareCodePoints, packStrings, sharedLetters } from "../src/segment/string-table.ts";
import { PrefixDistance, SortedPrefixDistance } from "../src/text/edit-distance.ts";

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
