// Zero-width and direction marks, soft hyphens, trade marks: they separate nothing and have no meaning in a search.
const invisibleCharacters = /[\p{Cf}™®©℠]/gu;
// Accents of Latin, Greek and Cyrillic, Hebrew points and Arabic vowel signs. Other marks (Devanagari, Thai) have
// letters.
const combiningAccents = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/g;
const fractionCharacters = /[¼-¾⅐-⅞]/g;
const foldedLetters = /[ßıøđłæœþðħŧŋĸſς×\u2044\u2010\u2011\u2019\u02bc\u2032\u2033\u201d]/g;
const letterFor: Readonly<Record<string, string>> = {
  ß: "ss",
  ı: "i",
  ø: "o",
  đ: "d",
  ł: "l",
  æ: "ae",
  œ: "oe",
  þ: "th",
  ð: "d",
  ħ: "h",
  ŧ: "t",
  ŋ: "n",
  ĸ: "k",
  ſ: "s",
  ς: "σ",
  "×": "x",
  "\u2044": "/",
  "\u2010": "-",
  "\u2011": "-",
  "\u2019": "'",
  "\u02bc": "'",
  "\u2032": "'",
  "\u2033": '"',
  "\u201d": '"',
};
const notAscii = /[^\0-\x7f]/;
// Typographic dashes, spaces, bullets and dots. Replacing them makes most texts ASCII, which is fast.
const typographicCharacters = /[\u00a0\u00b7\u2000-\u200a\u2012-\u2015\u2022\u2026]/g;

/**
 * One spelling for all forms of a text: folds case, accents, ligatures, character widths and special letters (Turkish
 * dotted and dotless i, German ß). Folding twice changes nothing.
 */
export function fold(text: string): string {
  if (!notAscii.test(text)) return text.toLowerCase();
  const plain = text.replace(typographicCharacters, " ");
  if (!notAscii.test(plain)) return plain.toLowerCase();
  return plain
    .replace(invisibleCharacters, "")
    .replace(fractionCharacters, " $& ")
    .normalize("NFKD")
    .replace(combiningAccents, "")
    .toLowerCase()
    .normalize("NFKD")
    .replace(combiningAccents, "")
    .replace(foldedLetters, (letter) => letterFor[letter] ?? letter)
    .replace(typographicCharacters, " ")
    .normalize("NFC");
}

/** Names with the same key differ only in case and accents. */
export function nameKey(name: string): string {
  return fold(name).trim();
}
