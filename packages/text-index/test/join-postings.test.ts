import fc from "fast-check";
import { expect, it } from "vitest";
import {
  createMatches,
  intersect,
  type JoinedList,
  loadPostings,
  type Matches,
  settle,
  unite,
  uniteAll,
} from "../src/search/matches.ts";

// Few, so that lists have documents in common.
const documents = 40;

const listed = fc
  .record({
    docs: fc.uniqueArray(fc.nat(documents - 1), { maxLength: documents }),
    impacts: fc.array(fc.integer({ min: 1, max: 255 }), { minLength: documents, maxLength: documents }),
    weight: fc.integer({ min: 0, max: 300 }),
  })
  .map(({ docs, impacts, weight }): JoinedList => {
    const list = {
      docs: Uint32Array.from(docs).sort(),
      impacts: Uint8Array.from(impacts),
      start: 0,
      end: docs.length,
      dense: undefined,
    };
    return { list, weight };
  });

it("joins several lists at once as it joins them one after the other", () => {
  fc.assert(
    fc.property(listed, fc.array(listed, { maxLength: 6 }), (first, others) => {
      const [single, all] = [createMatches(documents), createMatches(documents)];
      loadPostings(single, first.list, first.weight);
      loadPostings(all, first.list, first.weight);
      const marks = new Uint32Array((documents + 31) >>> 5);
      for (const { list, weight } of others) unite(single, list, weight);
      uniteAll(all, others, marks);
      expect(content(all)).toEqual(content(single));
      expect(marks.every((bits) => bits === 0)).toBe(true);
    }),
  );
});

it.each([
  ["one after the other", false],
  ["of which the others are stored by document", true],
])("keeps what several lists have, with the sum of their points: lists %s", (_, isDense) => {
  fc.assert(
    fc.property(listed, fc.array(listed, { minLength: 1, maxLength: 3 }), (first, others) => {
      const matches = createMatches(documents);
      loadPostings(matches, first.list, first.weight);
      for (const { list, weight } of others)
        intersect(matches, isDense ? { ...list, dense: byDocument(list) } : list, weight);
      const points = [first, ...others].map(({ list, weight }) => {
        const impacts = byDocument(list);
        return (doc: number) => (impacts[doc] ?? 0) * weight;
      });
      const shared = [...first.list.docs].filter((doc) =>
        others.every(({ list }) => list.docs.includes(doc)),
      );
      settle(matches);
      expect([...matches.docs.subarray(0, matches.count)]).toEqual(shared);
      expect([...matches.scores.subarray(0, matches.count)]).toEqual(
        shared.map((doc) => points.reduce((sum, pointsOf) => sum + pointsOf(doc), 0)),
      );
    }),
  );
});

function byDocument({ docs, impacts }: JoinedList["list"]): Uint8Array {
  const dense = new Uint8Array(documents);
  for (const [i, doc] of docs.entries()) dense[doc] = impacts[i] ?? 0;
  return dense;
}

function content(matches: Matches) {
  settle(matches);
  const { docs, scores, count } = matches;
  return [docs, scores].map((numbers) => [...numbers.subarray(0, count)]);
}
