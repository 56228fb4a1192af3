// Words of letters only: numbers, units and bigrams of scripts without spaces are not written like their words.
const foldedLetters = /^[\p{L}\p{M}]{2,}$/u;
const spacelessScript =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
// Units as the index writes them, and words that only connect others.
const joining = new Set(
  "a an and are as at be by for from in into is it its of on or that the this to with your de la le les des du el los las y con para der die das und mit für von".split(
    " ",
  ),
);

/** Whether a word may be in a phrase. */
export function canBePart(word: string): boolean {
  return foldedLetters.test(word) && !spacelessScript.test(word);
}

/** Whether a word may be the first or last word of a phrase. */
export function canEnd(word: string): boolean {
  return !joining.has(word);
}
