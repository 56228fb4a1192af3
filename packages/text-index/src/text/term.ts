import { StringCache } from "../bounded-cache.ts";

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
