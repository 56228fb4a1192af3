// Zero-width and direction marks, soft hyphens, trade marks: they separate nothing and mean nothing to a search.
const INVISIBLE = /[\p{Cf}™®©℠]/gu;
// Accents of Latin, Greek and Cyrillic, Hebrew points and Arabic vowel signs. Other marks (Devanagari, Thai) carry letters.
const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/g;
const FRACTIONS = /[¼-¾⅐-⅞]/g;
const LETTERS = /[ßıøđłæœþðħŧŋĸſς×\u2044\u2010\u2011\u2019\u02bc\u2032\u2033\u201d]/g;
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
const NOT_ASCII = /[^\0-\x7f]/;
// Typographic dashes, spaces, bullets and dots: with them plain, most texts are ASCII, which is fast.
const TYPOGRAPHY = /[\u00a0\u00b7\u2000-\u200a\u2012-\u2015\u2022\u2026]/g;

/**
 * One spelling for all the ways of writing a text: case, accents, ligatures, widths and alphabets' special letters
 * (Turkish dotted and dotless i, German ß) fold together. Folding twice changes nothing.
 */
export function fold(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  const plain = text.replace(TYPOGRAPHY, " ");
  if (!NOT_ASCII.test(plain)) return plain.toLowerCase();
  return plain
    .replace(INVISIBLE, "")
    .replace(FRACTIONS, " $& ")
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .toLowerCase()
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .replace(LETTERS, (letter) => letterFor[letter] ?? letter)
    .replace(TYPOGRAPHY, " ")
    .normalize("NFC");
}
