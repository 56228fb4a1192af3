import { selectBest } from "../search/select-best.ts";
import type { Segment } from "../segment/segment.ts";
import { compareCodePoints } from "../segment/string-table.ts";
import { wordAt } from "../segment/word-forms.ts";
import type { SimilarBeginning } from "./similar-beginnings.ts";

/**
 * The most similar of the candidates, then those in most documents. Only the first of each segment are read as strings:
 * there may be thousands of candidates.
 */
export function likeliestWords(
  candidates: ReadonlyArray<readonly [Segment, readonly SimilarBeginning[]]>,
  most: number,
): string[] {
  const words = new Map<string, { cost: number; documents: number }>();
  for (const [segment, similar] of candidates)
    for (const { word, cost, documents } of bestOf(segment, similar, most)) {
      const text = wordAt(segment.words, word);
      words.set(text, { cost, documents: documents + (words.get(text)?.documents ?? 0) });
    }
  return [...words]
    .sort(([a, x], [b, y]) => x.cost - y.cost || y.documents - x.documents || compareCodePoints(a, b))
    .map(([text]) => text);
}

interface Candidate extends SimilarBeginning {
  readonly documents: number;
}

function bestOf(segment: Segment, similar: readonly SimilarBeginning[], most: number): Candidate[] {
  const { wordTerms, postingOffsets } = segment.sections;
  const documents = Uint32Array.from(similar, ({ word }) => {
    const term = wordTerms[word] ?? 0;
    return (postingOffsets[term + 1] ?? 0) - (postingOffsets[term] ?? 0);
  });
  const order = Uint32Array.from(similar, (_, i) => i);
  const compare = (a: number, b: number) =>
    (similar[a]?.cost ?? 0) - (similar[b]?.cost ?? 0) ||
    (documents[b] ?? 0) - (documents[a] ?? 0) ||
    // The words of a segment are sorted.
    (similar[a]?.word ?? 0) - (similar[b]?.word ?? 0);
  selectBest(order, 0, order.length, most, compare);
  return Array.from(order.subarray(0, most), (i) => ({
    word: similar[i]?.word ?? 0,
    cost: similar[i]?.cost ?? 0,
    documents: documents[i] ?? 0,
  }));
}
