/** At most so many phrases are kept in a segment, the most frequent of each source. */
const MOST_PHRASES = 65_536;
export const WORDS_PER_PHRASE = 3;
/** In the place of a word that a phrase does not have. */
export const NO_WORD = 0xffffffff;

/** How many phrases a segment of so many documents has room for. */
export function phraseRoom(documents: number): number {
  return Math.min(MOST_PHRASES, 256 + (documents >>> 1));
}
