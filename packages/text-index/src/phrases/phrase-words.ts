// Words of letters alone: what numbers, units and bigrams of spaceless scripts are part of is not written as its words are.
const foldedLetters = /^[\p{L}\p{M}]{2,}$/u;
const spacelessScript =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
// Units as the index writes them, and words that only join others.
const joining = new Set(
  "a an and are as at be by for from in into is it its of on or that the this to with your de la le les des du el los las y con para der die das und mit für von".split(
    " ",
  ),
);

/** Whether a word may stand in a phrase. */
export function canBePart(word: string): boolean {
  return foldedLetters.test(word) && !spacelessScript.test(word);
}

/** Whether a phrase may begin or end with the word. */
export function canEnd(word: string): boolean {
  return !joining.has(word);
}
