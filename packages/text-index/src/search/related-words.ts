import type { Reading } from "../query/reading.ts";
import type { WeighedWord } from "./weigh-words.ts";

/** With so many matches, or as many as related ones are wanted, nothing related is needed after them. */
const enoughMatches = 20;

/** Whether documents with some of the words are looked for. One word alone has none. */
export function needsRelated(limit: number, { words }: Reading, total: number): boolean {
  if (limit === 0 || total >= Math.max(limit, enoughMatches)) return false;
  const known = words.filter(({ alternatives, as }) => alternatives.length > 0 && as !== "optional");
  return known.length > 1 || total === 0;
}

/** More words add nothing to the best, and take time. */
const mostWords = 8;

/** The words by which documents are related, and the others. */
export function rarestWords(words: readonly WeighedWord[]): [WeighedWord[], WeighedWord[]] {
  const rarestFirst = words
    .filter(({ documents, as }) => documents > 0 && as !== "optional")
    .sort((a, b) => a.documents - b.documents);
  return [rarestFirst.slice(0, mostWords), rarestFirst.slice(mostWords)];
}
