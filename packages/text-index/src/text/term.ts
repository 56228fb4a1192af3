import { StringCache } from "../bounded-cache.ts";
import { stem } from "./stem.ts";

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
