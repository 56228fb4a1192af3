import fc from "fast-check";
import { expect, it } from "vitest";
import { type JoinedList, unite, uniteAll } from "../src/search/matches/join-postings.ts";
import { createMatches, loadPostings, type Matches, settle } from "../src/search/matches/matches.ts";

const documents = 300;

const listed = fc
  .record({
    docs: fc.uniqueArray(fc.nat(documents - 1), { maxLength: 80 }),
    impacts: fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 80, maxLength: 80 }),
    weight: fc.integer({ min: 0, max: 300 }),
    cost: fc.integer({ min: 1, max: 6 }),
  })
  .map(({ docs, impacts, weight, cost }): JoinedList => {
    const list = {
      docs: Uint32Array.from(docs).sort(),
      impacts: Uint8Array.from(impacts),
      start: 0,
      end: docs.length,
      dense: undefined,
    };
    return { list, weight, cost };
  });

it("joins several lists at once as it joins them one after the other", () => {
  fc.assert(
    fc.property(listed, fc.array(listed, { maxLength: 6 }), (first, others) => {
      const [single, all] = [createMatches(documents), createMatches(documents)];
      loadPostings(single, first.list, first.weight);
      loadPostings(all, first.list, first.weight);
      const marks = new Uint32Array((documents + 31) >>> 5);
      for (const { list, weight, cost } of others) unite(single, list, weight, cost);
      uniteAll(all, others, marks);
      expect(content(all)).toEqual(content(single));
      expect(marks.every((bits) => bits === 0)).toBe(true);
    }),
  );
});

function content(matches: Matches) {
  settle(matches);
  const { docs, scores, words, count } = matches;
  return [docs, scores, words].map((numbers) => [...numbers.subarray(0, count)]);
}
