import { StringCache } from "../bounded-cache.ts";

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

/** How numbers are written: 1,000 and 2,5 and .5 and 1/2. */
export const numberPattern = "\\p{N}+(?:[.,]\\p{N}+)*(?:/\\p{N}+)*|\\.\\p{N}+";

export const apostrophe = 39;
const comma = 44;
export const point = 46;
const slash = 47;

/** Whether it is one of the letters that folded ASCII text has. */
export function isLetter(code: number): boolean {
  return code >= 97 && code <= 122;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** The end of the number that begins at a position of an ASCII text: the same as of the pattern. */
export function endOfNumber(text: string, start: number): number {
  if (text.charCodeAt(start) === point) return endOfDigits(text, start + 1);
  let end = endOfDigits(text, start);
  for (const isJoining of [isDecimalMark, isSlash])
    while (isJoining(text.charCodeAt(end)) && isDigit(text.charCodeAt(end + 1)))
      end = endOfDigits(text, end + 1);
  return end;
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

function isDecimalMark(code: number): boolean {
  return code === point || code === comma;
}

function isSlash(code: number): boolean {
  return code === slash;
}

// The denominators that rulers, drills and pipes have. Others, such as the 3 of a 12/3 cable, are separate numbers.
const denominators: ReadonlySet<number> = new Set([2, 3, 4, 5, 6, 8, 10, 12, 16, 32, 64]);
const fraction = /^(\p{N}+)\/(\p{N}+)$/u;

/** The indexed form of a number: "1,000" is 1000, "2,5" and "2.50" are 2.5, "1/2" stays. "12/3" is two numbers. */
export function normalNumbers(text: string): readonly string[] {
  if (!text.includes("/")) return [normalDecimal(text)];
  return fractionValue(text) === undefined ? text.split("/").map(normalDecimal) : [text];
}

const onlyDigits = /^[0-9]+$/;

function normalDecimal(text: string): string {
  if (onlyDigits.test(text)) return text;
  const plain = text.replaceAll(/,(?=\p{N}{3}(?:\P{N}|$))/gu, "").replaceAll(",", ".");
  const padded = plain.startsWith(".") ? `0${plain}` : plain;
  return padded.split(".").length === 2 ? padded.replace(/\.?0+$/, "") || "0" : padded;
}

/** The value of a fraction, if measures use it. */
export function fractionValue(text: string): number | undefined {
  if (!text.includes("/")) return undefined;
  const [, above = "", below = ""] = fraction.exec(text) ?? [];
  const [numerator, denominator] = [Number(above), Number(below)];
  const isFraction = denominators.has(denominator) && numerator > 0 && numerator < denominator;
  return isFraction ? numerator / denominator : undefined;
}

/** At most four decimals, without zeros at the end: a third and 0.3333 are the same. */
export function shortNumber(value: number): string {
  return String(Number(value.toFixed(4)));
}

/** Longer words are cut: nobody types them, and the size of the index must be limited. */
export const maxWordLength = 64;

// Scripts written without spaces (and Hangul, whose particles are attached to nouns) are indexed as bigrams.
const spacelessScript =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー";
const tokenPattern = new RegExp(
  [
    `(?<number>${numberPattern})(?<mark>\\s?"|\\s?''|'(?!(?!x\\s?\\p{N})\\p{L}))?`,
    `(?<spaceless>(?:(?=[${spacelessScript}])[\\p{L}\\p{M}])[${spacelessScript}\\p{M}]*)`,
    `(?<word>(?:(?![${spacelessScript}])[\\p{L}\\p{M}])+(?:'(?:(?![${spacelessScript}])[\\p{L}\\p{M}])+)*)`,
  ].join("|"),
  "gu",
);

/**
 * The words of a text, folded, in order. Letters and digits are separated ("18v" is "18", "v"), so that "wd40",
 * "wd-40" and "wd 40" are the same; `12"` is 12 in and `6'` is 6 ft; apostrophes are removed ("men's" is "mens").
 * Scripts without spaces give bigrams, and in documents also single characters, so that a one-character query finds
 * them.
 */
export function tokenize(text: string, purpose: "document" | "query" = "document"): string[] {
  const folded = fold(text);
  if (notAscii.test(folded)) return tokenizeAny(folded, purpose);
  const words: string[] = [];
  tokenizeAscii(folded, {
    letters: (start, end) => words.push(folded.slice(start, end)),
    word: (word) => words.push(word),
  });
  return words;
}

/** Takes the words of a text in their order. */
export interface WordSink {
  /** A word of the letters a to z, as its place in the text: most words need not become a string of their own. */
  letters(start: number, end: number): void;
  word(word: string): void;
}

/** The words of a document's text that is folded already. */
export function tokenizeFolded(folded: string, sink: WordSink): void {
  if (notAscii.test(folded)) for (const word of tokenizeAny(folded, "document")) sink.word(word);
  else tokenizeAscii(folded, sink);
}

function tokenizeAny(folded: string, purpose: "document" | "query"): string[] {
  const words: string[] = [];
  for (const match of folded.matchAll(tokenPattern)) {
    const { number, mark, spaceless, word } = match.groups ?? {};
    if (word !== undefined) words.push(word.replaceAll("'", "").slice(0, maxWordLength));
    else if (number !== undefined) pushNumber((one) => words.push(one), number, mark);
    else if (spaceless !== undefined) pushBigrams(words, spaceless, purpose);
  }
  return words;
}

/** The same for ASCII text without a regular expression: indexing spends most of its time here. */
function tokenizeAscii(folded: string, sink: WordSink): void {
  for (let at = 0; at < folded.length; ) {
    const code = folded.charCodeAt(at);
    if (isLetter(code)) {
      const start = at;
      let hasApostrophe = false;
      for (; at < folded.length; at++) {
        const next = folded.charCodeAt(at);
        if (isLetter(next)) continue;
        if (next !== apostrophe || !isLetter(folded.charCodeAt(at + 1))) break;
        hasApostrophe = true;
      }
      if (hasApostrophe) sink.word(folded.slice(start, at).replaceAll("'", "").slice(0, maxWordLength));
      else sink.letters(start, Math.min(at, start + maxWordLength));
    } else if (isDigit(code) || (code === point && isDigit(folded.charCodeAt(at + 1)))) {
      at = pushNumberAt(sink, folded, at);
    } else at++;
  }
}
const asciiMark = /\s?"|\s?''|'(?!(?!x\s?\d)[a-z])/y;
/** Reads the number at a position of a text, with the sign of its unit, and returns its end. */
function pushNumberAt(sink: WordSink, folded: string, at: number): number {
  const end = endOfNumber(folded, at);
  const mark = markAt(folded, end);
  pushNumber((one) => sink.word(one), folded.slice(at, end), mark);
  return end + (mark?.length ?? 0);
}

/** Only after a space or a quote there can be one. */
function markAt(folded: string, at: number): string | undefined {
  if (folded.charCodeAt(at) > apostrophe) return undefined;
  asciiMark.lastIndex = at;
  return asciiMark.exec(folded)?.[0];
}

function pushNumber(push: (word: string) => void, number: string, mark: string | undefined): void {
  for (const word of normalNumbers(number)) push(word.slice(0, maxWordLength));
  if (mark !== undefined) push(mark.trim() === "'" ? "ft" : "in");
}

function pushBigrams(words: string[], run: string, purpose: "document" | "query"): void {
  const characters = [...run];
  if (characters.length === 1 || purpose === "document") words.push(...characters);
  for (let i = 0; i + 1 < characters.length; i++) words.push(`${characters[i]}${characters[i + 1]}`);
}

// Different spellings of one unit of measure, British and American spellings, and irregular plurals.
const sameTerm: ReadonlyMap<string, string> = new Map(
  Object.entries({
    in: "inch inches",
    ft: "foot feet",
    yd: "yard yards yds",
    lb: "lbs pound pounds",
    oz: "ounce ounces ozs",
    gal: "gallon gallons gals",
    qt: "quart quarts qts",
    pt: "pint pints pts",
    v: "volt volts",
    w: "watt watts",
    a: "amp amps ampere amperes",
    mm: "millimeter millimeters millimetre millimetres",
    cm: "centimeter centimeters centimetre centimetres",
    m: "meter meters metre metres",
    ml: "milliliter milliliters millilitre millilitres",
    l: "liter liters litre litres",
    g: "gram grams",
    kg: "kilogram kilograms kilo kilos",
    gb: "gigabyte gigabytes",
    tb: "terabyte terabytes",
    hp: "horsepower",
    gray: "grey",
    color: "colour colours colors",
    molding: "moulding mouldings moldings",
    aluminum: "aluminium",
    fiber: "fibre fibres fibers",
    center: "centre centres centers",
    man: "men mens",
    woman: "women womens",
    child: "children childrens",
    shelf: "shelves",
    tie: "ties",
    pie: "pies",
    die: "dies",
    sky: "skies",
    lens: "lenses",
    knife: "knives",
    scarf: "scarves",
    leaf: "leaves",
    mouse: "mice",
    tooth: "teeth",
  }).flatMap(([term, words]) => words.split(" ").map((word): [string, string] => [word, term])),
);

// The suffix rules would make other words of these: "ears" of earrings, "stock" of stockings, "generator" of general.
const unstemmed: ReadonlyMap<string, string> = new Map(
  "bedding clothing earring generator siding stocking suite wedding"
    .split(" ")
    .flatMap((word): [string, string][] => [
      [word, word],
      [`${word}s`, word],
    ]),
);

// Stemming a word takes fifty times as long as looking it up.
const terms = new StringCache<string>(2 ** 15);

/** The term under which a folded word is indexed. Words with the same term find each other. */
export function termOf(word: string): string {
  return terms.get(word, () => unstemmed.get(word) ?? stem(sameTerm.get(word) ?? word));
}

/** No word begins with it. */
export const levelMark = "§";

/** The term of the whole name of a level of categories: its words alone say nothing about what is below it. */
export function levelTermOf(words: readonly string[], wordTermOf: (word: string) => string): string {
  return levelMark + words.map(wordTermOf).join(" ");
}

export function isLevelTerm(term: string): boolean {
  return term.startsWith(levelMark);
}

// M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980;
// https://tartarus.org/martin/PorterStemmer/def.txt
const vowel = "[aeiouy]";
const consonants = "[^aeiou][^aeiouy]*";
const vowels = "[aeiouy][aeiou]*";
const hasVowel = new RegExp(`^(?:${consonants})?${vowel}`);
const measure1 = new RegExp(`^(?:${consonants})?${vowels}${consonants}(?:${vowels})?$`);
const measureAbove0 = new RegExp(`^(?:${consonants})?${vowels}${consonants}`);
const measureAbove1 = new RegExp(`^(?:${consonants})?${vowels}${consonants}${vowels}${consonants}`);
const shortEnd = new RegExp(`^${consonants}${vowel}[^aeiouwxy]$`);
const doubleEnd = /([^aeiouylsz])\1$/;
const asciiWord = /^[a-z]{3,}$/;

const step2: ReadonlyArray<readonly [string, string]> = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["bli", "ble"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
  ["logi", "log"],
];
const step3: ReadonlyArray<readonly [string, string]> = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];
const step4 = /^(.+?)(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$/;
const step4Ion = /^(.+?)([st])ion$/;

/** The stem of an English word. Words of other alphabets, numbers and very short words do not change. */
export function stem(word: string): string {
  if (!asciiWord.test(word)) return word;
  // The vowel patterns read a leading y as a vowel, the algorithm as a consonant: upper case hides it from the
  // patterns.
  let text = word.startsWith("y") ? `Y${word.slice(1)}` : word;
  text = dropPlural(text);
  text = dropPast(text);
  if (text.endsWith("y") && hasVowel.test(text.slice(0, -1))) text = `${text.slice(0, -1)}i`;
  text = replaceSuffix(text, step2);
  text = replaceSuffix(text, step3);
  text = dropLongSuffix(text);
  return shortenEnd(text).toLowerCase();
}

function dropPlural(text: string): string {
  // Something must be left after removing the ending.
  if (/.(?:sse|ie)s$/.test(text)) return text.slice(0, -2);
  return text.endsWith("s") && !text.endsWith("ss") ? text.slice(0, -1) : text;
}

function dropPast(text: string): string {
  if (text.endsWith("eed")) return measureAbove0.test(text.slice(0, -3)) ? text.slice(0, -1) : text;
  const base = text.endsWith("ed") ? text.slice(0, -2) : text.endsWith("ing") ? text.slice(0, -3) : undefined;
  if (base === undefined || !hasVowel.test(base)) return text;
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (doubleEnd.test(base)) return base.slice(0, -1);
  return shortEnd.test(base) ? `${base}e` : base;
}

function replaceSuffix(text: string, suffixes: ReadonlyArray<readonly [string, string]>): string {
  // The longest suffix decides, even if its condition fails.
  let best: readonly [string, string] | undefined;
  for (const entry of suffixes) {
    if (text.endsWith(entry[0]) && entry[0].length > (best?.[0].length ?? 0)) best = entry;
  }
  if (best === undefined) return text;
  const base = text.slice(0, text.length - best[0].length);
  return measureAbove0.test(base) ? base + best[1] : text;
}

function dropLongSuffix(text: string): string {
  const long = step4.exec(text);
  if (long?.[1] !== undefined) return measureAbove1.test(long[1]) ? long[1] : text;
  const ion = step4Ion.exec(text);
  if (ion === null) return text;
  const base = `${ion[1]}${ion[2]}`;
  return measureAbove1.test(base) ? base : text;
}

function shortenEnd(text: string): string {
  let shortened = text;
  if (shortened.endsWith("e")) {
    const base = shortened.slice(0, -1);
    if (measureAbove1.test(base) || (measure1.test(base) && !shortEnd.test(base))) shortened = base;
  }
  return shortened.endsWith("ll") && measureAbove1.test(shortened) ? shortened.slice(0, -1) : shortened;
}
