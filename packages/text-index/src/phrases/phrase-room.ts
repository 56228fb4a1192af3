/** Maximum number of phrases in a segment; the most frequent of each source are kept. */
const maxPhrases = 65_536;
export const wordsPerPhrase = 3;
/** Marks a word that a phrase does not have. */
export const noWord = 0xffffffff;

/** How many phrases a segment with this many documents can hold. */
export function phraseRoom(documents: number): number {
  return Math.min(maxPhrases, 256 + (documents >>> 1));
}
