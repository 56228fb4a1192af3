/** At most so many phrases are kept in a segment, the most frequent of each source. */
const maxPhrases = 65_536;
export const wordsPerPhrase = 3;
/** In the place of a word that a phrase does not have. */
export const noWord = 0xffffffff;

/** How many phrases a segment of so many documents has room for. */
export function phraseRoom(documents: number): number {
  return Math.min(maxPhrases, 256 + (documents >>> 1));
}
