import { unitSpellings } from "@product-search/text-index";
import type { MeasureRange } from "../../ports/text-search.ts";
import { colours, materials, negation, price, rating } from "../languages/languages.ts";
import { fold } from "../name-list.ts";
import {
  alternation,
  type Constraints,
  letter,
  letterButNoDigit,
  type Meaning,
  moneyMark,
  type Phrase,
  type PhraseContext,
  phrase,
} from "./phrase-table.ts";
import currencies from "./words/currencies.json" with { type: "json" };
import units from "./words/units.json" with { type: "json" };

/** A separate number: not part of a word or of a longer number. */
const number = `(?<!${letter}|\\.)(\\d+(?:\\.\\d+)?)(?![\\d.]*\\d)`;

/** Matches "under 30 in", but not "under 30 in black". */
const inches = "\\s*in(?= ?(?:$|[,.x⟦]|by |wide|tall|deep|high|long|thick))";

/** No measure, fraction or dimension may follow: "under 2 kg", "up to 10 x 12". */
const noMeasure = `(?!\\s*-?\\s*${alternation(units)}|${inches}|\\s*["'/%]|\\s*[x*]\\s*\\d|\\s*-\\s*${letterButNoDigit})`;

/** "Under 50 pounds" is a price; a single letter is often something else than a ton, an hour or a second. */
const otherMeanings = ["pound", "pounds", "t", "h", "s", "in"];
const writtenUnits = unitSpellings
  .filter((unit) => !otherMeanings.includes(unit))
  .toSorted((one, other) => other.length - one.length)
  .map((unit) => unit.replaceAll(".", "\\."))
  .join("|");
const unit = `\\s?-?\\s?((?:${writtenUnits})(?!${letter})|in(?= ?(?:$|[,.x⟦]|by |wide|tall|deep|high|long|thick)))`;
const measure = `${number}${unit}(?: (?:wide|tall|deep|high|long|thick|heavy)(?!${letter}))?`;
const and = alternation(price.and);
const to = alternation(price.to);
/** "Around" means plus or minus a fifth, as for prices. */
const aroundShare = 0.2;

const firstNumber = `${number}(?:\\s?(?:${writtenUnits})(?!${letter}))?`;

type Read = (amount: number, other: number) => Omit<MeasureRange, "unit">;
const measuresBetween: Read = (one, other) => ({ min: Math.min(one, other), max: Math.max(one, other) });
const maxMeasure: Read = (max) => ({ max });
const minMeasure: Read = (min) => ({ min });
const measureAround: Read = (middle) => ({
  min: middle * (1 - aroundShare),
  max: middle * (1 + aroundShare),
});

const patterns: ReadonlyArray<readonly [source: string, read: Read]> = [
  [`${alternation(price.between)} ${firstNumber} ?${and} ?${measure}`, measuresBetween],
  [`${alternation(price.from)} ${firstNumber} (?:up )?${to} ?${measure}`, measuresBetween],
  [`${alternation(price.below, price.atMost)} ?${measure}`, maxMeasure],
  [`${measure} ${alternation(price.orLess)}`, maxMeasure],
  [`${alternation(price.above, price.atLeast)} ?${measure}`, minMeasure],
  [`${measure} ${alternation(price.orMore)}`, minMeasure],
  [`${alternation(price.about)} ?${measure}`, measureAround],
];
const compiled = patterns.map(([source, read]) => ({ pattern: new RegExp(source, "g"), read }));
const numberWithUnit = new RegExp(`\\d${unit}`, "i");

/** Whether a text may have bounds in a unit: most have none and need not be read twice. */
export function mayHaveMeasures(text: string): boolean {
  return numberWithUnit.test(text);
}

/** Bounds in a unit: "over 20 cm", "up to 5 kg". They are read if `isUnit` says that the catalog has such numbers. */
export function measurePhrases(isUnit: (unit: string) => boolean): Phrase[] {
  return compiled.map(({ pattern, read }) => ({
    pattern,
    read: ([, ...groups]): Meaning | undefined => {
      const present = groups.filter((group) => group !== undefined);
      const written = present.at(-1) ?? "";
      const [amount = 0, other = amount] = present.slice(0, -1).map(Number);
      if (!isUnit(written)) return undefined;
      return { constraints: { measures: [{ unit: written, ...read(amount, other) }] } };
    },
  }));
}

const property = alternation(...colours, ...materials);
const notThings = new Set(Object.values(negation.notThings).flat());
const { en: _, ...otherWithout } = negation.without;
const link = `(?:${alternation(negation.link)} ?)*`;
const or = alternation(negation.or);
const word = `(?!${alternation(negation.or, ["and", "but"])})${letterButNoDigit}(?:${letter}|['-])*`;
/** The excluded thing has at most two words. It ends at a function word or a property: "without handles black". */
const thing = `${word}(?: (?!${alternation(price.goesOn, negation.link, negation.notThings)}|${property})${word})?`;
/** Further excluded things: "without laces or leather". */
const furtherWords = `(?:(?: ?, ?${or}?| ${or}) ${link}${word})*`;
const furtherThings = `(?:(?: ?, ?${or}| ${or}) ${link}${thing})*`;
const separator = new RegExp(` ?, ?| ${or} `);
const leadingLink = new RegExp(`^${alternation(negation.or, negation.link)} `);

const vehicle = new RegExp(`^(?:${link})${alternation(negation.vehicles)}`);
const gettingAbout = new RegExp(alternation(negation.gettingAbout));

/** The first group is the excluded thing. */
const without = (match: RegExpExecArray): Meaning | undefined => {
  const thing = match[1] ?? "";
  // To get about without a car: nothing has a car to leave out.
  if (vehicle.test(thing) && gettingAbout.test(match.input)) return { constraints: {} };
  return leaveOut([thing]);
};
const withoutEither = (match: RegExpExecArray): Meaning | undefined => leaveOut(match.slice(1));

function leaveOut(texts: readonly string[]): Meaning | undefined {
  const things = texts.flatMap((text) => text.split(separator)).map(withoutLink);
  if (notThings.has(things[0] ?? "")) return undefined;
  const named = things.filter((named) => named !== "" && !notThings.has(named));
  return named.length > 0 ? { constraints: { without: named } } : undefined;
}

/** "or a strap" → "strap". */
function withoutLink(text: string): string {
  const rest = text.trim().replace(leadingLink, "").trim();
  return rest === text.trim() ? rest : withoutLink(rest);
}

/** Every row below starts with one of these words. */
export const negationWord = new RegExp(
  `${alternation(negation.without, negation.not, negation.no, negation.neither, negation.notProperty)}|\\bnon[ -]`,
);

/** Applied after the price phrases, which read "no more than 50", and before colours and names. */
export const negationPhrases: readonly Phrase[] = [
  phrase(
    `${alternation(negation.neither)} ${link}(${thing})(?: ?,)? ${alternation(negation.nor)} ${link}(${word})`,
    withoutEither,
  ),
  // A thing of one or two words: "without shoulder strap". "Sin city" does not start a Spanish text.
  phrase(
    `(?:${alternation(negation.without.en)}|(?<=${letter}[ ,]+)${alternation(otherWithout)}) ${link}(${thing}${furtherThings})`,
    without,
  ),
  // A property of one word: "not leather shoes" means shoes.
  phrase(
    `(?:\\b(?:(?:that|which) )?(?:is|are) )?(?<!${alternation(negation.notAfter)} )${alternation(negation.not)} ${link}(${word}${furtherWords})`,
    without,
  ),
  phrase(`\\bnon[ -](${alternation(...materials)})`, without),
  // Many names of things begin with "no" ("no entry sign"). It excludes only after "with", before a property, or at
  // the end.
  phrase(
    `\\b(?:with|und|and|avec|con|mit) ${alternation(negation.no)} ${link}(${thing}${furtherThings})`,
    without,
  ),
  phrase(`${alternation(negation.no, negation.notProperty)} ${link}(${property}${furtherWords})`, without),
  phrase(
    `(?<=${letterButNoDigit}{3}[ ,]+)${alternation(negation.no)} ${link}(${letterButNoDigit}{3,}${furtherWords})(?= ?(?:$|[,⟦]))`,
    without,
  ),
];

/** Exclusions in a sentence that may be the name of a product in a keyword query ("no drip edge"). */
export const spokenNegationPhrases: readonly Phrase[] = [
  phrase(`${alternation(negation.spokenWithout)} ${link}(${thing}${furtherThings})`, without),
  phrase(
    `(?:\\b(?:(?:that|which) )?(?:is|are|do|does) )?${alternation(negation.spokenNot, negation.no)} ${link}(${word}${furtherWords})`,
    without,
  ),
];

/** The order of the products that a text asks for. */
export interface OrderInText {
  sort: "price" | "rating";
  order: "asc" | "desc";
}

export interface OrderMeaning extends Meaning {
  sorting?: OrderInText;
}

/** Whether order words that stand next to these other words belong to a name, as in "Cheap Monday". */
export type IsName = (words: string) => boolean;

const by = (sort: OrderInText["sort"], order: OrderInText["order"]) => (): OrderMeaning => ({
  sorting: { sort, order },
});

/** Order words that mean the same in a keyword query and in a sentence. Applied after prices: "cheaper than 50". */
export const orderPhrases: readonly Phrase<OrderMeaning>[] = [
  phrase<OrderMeaning>(
    "\\b(?:(?:not|nothing|isn't|aren't) (?:(?:too|very|so|that|overly) )?|too )(?:expensive|pricey|costly)\\b",
    by("price", "asc"),
  ),
  phrase<OrderMeaning>(
    "\\b(?:not|nothing) (?:(?:too|very|so) )?cheap\\b|\\bcosts? the most\\b",
    by("price", "desc"),
  ),
  phrase<OrderMeaning>("\\bcosts? the least\\b", by("price", "asc")),
  phrase<OrderMeaning>(
    "\\b(?:the )?(?:most expensive|priciest|costliest|highest[- ]priced?|dearest|most luxurious|(?<!least |less )expensive)\\b",
    by("price", "desc"),
  ),
  phrase<OrderMeaning>(
    "\\b(?:the )?(?:cheapest|(?:least|less) expensive|lowest[- ](?:priced?|cost)|most affordable|(?:at |for )?the (?:lowest|best) price|(?:sorted )?by price|cheap(?:er|ly)?|inexpensive|affordable|low[- ](?:cost|priced?)|budget[- ]friendly|on a budget)\\b(?: first)?",
    by("price", "asc"),
  ),
  phrase<OrderMeaning>("\\bbetter[- ](?:rated|reviewed)(?! than)\\b", by("rating", "desc")),
  phrase<OrderMeaning>(
    "\\b(?:the )?(?:(?:best|top|highest)[- ](?:rated|reviewed|ratings?|reviews?|rating)|(?:sorted )?by rating|most (?:loved|liked))\\b(?: first)?",
    by("rating", "desc"),
  ),
];

/** Order words of sentences that are ordinary words of products elsewhere: "crop top", "luxury vinyl", "budget planner". */
export const spokenOrderPhrases: readonly Phrase<OrderMeaning>[] = [
  phrase<OrderMeaning>("\\b(?:the )?(?:high[- ]end|luxury|luxurious|premium)\\b", by("price", "desc")),
  phrase<OrderMeaning>("\\b(?:the )?(?:budget|economical)\\b(?: first)?", by("price", "asc")),
  phrase<OrderMeaning>(
    "\\b(?:the )?(?:best|top|finest)\\b(?! ?-?sell| friends?\\b)(?: first)?",
    by("rating", "desc"),
  ),
];

/** Any text with an order phrase has one of these. */
export const orderWord = new RegExp(orderPhrases.map(({ pattern }) => pattern.source).join("|"), "i");

/** The same phrases, but those that belong to a name have no meaning. */
export function orderPhrasesOutsideNames(isName: IsName): readonly Phrase<OrderMeaning>[] {
  return orderPhrases.map(({ pattern, read }) => ({
    pattern,
    read: (match, context) => (withNeighbours(match).some(isName) ? undefined : read(match, context)),
  }));
}

const wordBefore = /([\p{L}\p{N}][\p{L}\p{M}\p{N}'&-]*) $/u;
const wordAfter = /^ ([\p{L}\p{N}][\p{L}\p{M}\p{N}'&-]*)/u;

/** The phrase with the word before it, and with the word after it, folded. Commas and other phrases separate. */
function withNeighbours({ 0: matched, index, input }: RegExpExecArray): string[] {
  const words = matched.replace(/^the /, "");
  const before = wordBefore.exec(input.slice(0, index))?.[1];
  const after = wordAfter.exec(input.slice(index + matched.length))?.[1];
  return [
    ...(before === undefined ? [] : [fold(`${before} ${words}`)]),
    ...(after === undefined ? [] : [fold(`${words} ${after}`)]),
  ];
}

interface Named {
  codes: readonly string[];
  beside: RegExp;
}

/** Each currency as it is written next to an amount. */
const named: readonly Named[] = currencies.map(({ codes, signs, names }) => {
  const words = alternation([...codes.map((code) => code.toLowerCase()), ...names, ...signs]);
  return {
    codes,
    beside: new RegExp(`${words} ?\\d|\\d ?${words.replaceAll(`(?<!${letter})`, "(?<![a-z])")}`, "i"),
  };
});

/** Whether a text has an amount in a currency other than that of the prices. A dollar sign matches any dollar. */
export function namesOtherCurrency(text: string, currency: string): boolean {
  const said = named.filter(({ beside }) => beside.test(text));
  return said.length > 0 && said.every(({ codes }) => !codes.includes(currency));
}

/** A single digit that is not part of a fraction, as in "6-3/5 in.". */
const digit = "(?<![\\d.] ?[-/]? ?)(?<!\\w)(\\d(?:\\.\\d+)?)(?![\\d.]*\\d)";
const orMore = `(?:\\s?\\+|,? ${alternation(rating.orMore)})`;
const atLeast = alternation(rating.atLeast);
const stars = alternation(rating.stars);
const outOfFive = `(?: ?(?:out of|/) ?5(?!\\d)${noMeasure})`;
const wellRated = 4;

const rated = (match: RegExpExecArray): Meaning | undefined => {
  const least = Number(match[1]);
  return least <= 5 ? { constraints: { minRating: least } } : undefined;
};

/** Applied before the price phrases: "over 4 stars" is not a price. */
export const ratingPhrases: readonly Phrase[] = [
  phrase(
    `(?:\\b(?:that (?:is|are) |which (?:is|are) )?(?:rated|rating|ratings|reviews?|scored?|with)(?: of| is| are)? )?(?:${atLeast} (?:of )?)?${digit}${orMore}?[\\s-]*${stars}(?: rated| ratings?| reviews?)?${orMore}?`,
    rated,
  ),
  // "Fire rated 2 hours" is another kind of rating: only the end of the phrase may follow.
  phrase(
    `\\b(?:with (?:a |an )?)?(?:average )?(?:rated|ratings?|scored?|scores?)(?: of| is| are)?(?: ${atLeast})?(?: of)? ${digit}(?:${orMore}|${outOfFive})?(?=$| ?[,⟦]| (?:and|or|in|for|with|under|below|from|please)\\b)`,
    rated,
  ),
  phrase(`${digit}${outOfFive}${orMore}?`, rated),
  phrase(`${digit}${orMore} (?:ratings?|rated|reviews?)`, rated),
  phrase(
    "\\b(?:that (?:is|are) )?(?:with )?(?:(?:well|highly|very well|excellently)[ -](?:rated|reviewed)|(?:good|great|excellent|high|positive|strong|top) (?:reviews|ratings?))",
    () => ({ constraints: { minRating: wellRated } }),
  ),
];

const money = `${number}${moneyMark}`;
const pounds = "(?: pounds?\\b)?";
const amount = `${number}(?:${moneyMark}|${noMeasure})${pounds}`;
/**
 * A number before another word is a count ("up to 4 drawers") and not a price, unless it is marked as money or one of
 * these words follows.
 */
const goesOn = alternation(price.goesOn);
const noCount = `${number}(?:${moneyMark}|${noMeasure}(?! ?(?!${goesOn})${letterButNoDigit}))`;

type Bounds = Pick<Constraints, "minPriceMinor" | "maxPriceMinor">;
type ReadBounds = (amounts: readonly number[], toMinor: PhraseContext["toMinor"]) => Bounds;

/** The amounts are in those groups of the match that are set. */
const bound =
  (bounds: ReadBounds): Phrase["read"] =>
  ([, ...groups], { toMinor }): Meaning => {
    const amounts = groups.filter((group) => group !== undefined).map(Number);
    return { constraints: bounds(amounts, toMinor) };
  };
const priceRange = bound((amounts, toMinor) => ({
  minPriceMinor: toMinor(Math.min(...amounts)),
  maxPriceMinor: toMinor(Math.max(...amounts)),
}));
const maxPrice = bound(([most = 0], toMinor) => ({ maxPriceMinor: toMinor(most) }));
const minPrice = bound(([least = 0], toMinor) => ({ minPriceMinor: toMinor(least) }));
const priceAround = bound(([middle = 0], toMinor) => ({
  minPriceMinor: toMinor(middle * (1 - aroundShare)),
  maxPriceMinor: toMinor(middle * (1 + aroundShare)),
}));

const each = "(?: (?:each|per (?:item|piece)))?";

/** Words that make a price bound apply to everything together. */
export const together =
  "\\b(?:(?:all )?together|altogether|in (?:total|all|sum)|combined|for (?:both|all of (?:them|it)|everything|the lot)|total(?: budget| price| cost)?)\\b";

/** The order matters: the most explicit phrases come first, so that "not more than" is not read as "more than". */
export const pricePhrases: readonly Phrase[] = [
  phrase(`${alternation(price.between)} ${amount} ?${and} ?${amount}`, priceRange),
  phrase(`${alternation(price.from)} ${amount} (?:up )?${to} ?${amount}`, priceRange),
  phrase(`${money} ?${and} ?${money}|${number} ?${to} ?${money}|${money} ?${to} ?${number}`, priceRange),
  phrase(`\\bprices?d?(?: range)?(?: of| from| is)? ${amount} ?${and} ?${amount}`, priceRange),
  phrase(`${alternation(price.below)}(?: the)? ?${amount}${each}`, maxPrice),
  phrase(`${alternation(price.atMost)}(?: the)? ?${noCount}${pounds}${each}`, maxPrice),
  phrase(`${amount} ${alternation(price.orLess)}`, maxPrice),
  phrase(`${money} ${alternation(price.spokenOrLess)}`, maxPrice),
  phrase(`${alternation(price.spokenAtMost, price.ownAtMost)}(?: ?[,:])? ?${money}`, maxPrice),
  phrase(`${amount}(?= ?(?:${together}))`, maxPrice),
  phrase(`${alternation(price.above, price.atLeast)}(?: the)? ?${noCount}`, minPrice),
  phrase(
    `(?:from )?${amount} ${alternation(price.orMore)}|${money} ?\\+|${number}\\+(?=$| ?[,⟦]| ${goesOn})|\\bfrom ${money}`,
    minPrice,
  ),
  phrase(`${alternation(price.about)} ?${noCount}`, priceAround),
  phrase(`(?<![x*] )${money}`, priceAround),
];

/** Price phrases in a sentence that may be the name of a product in a keyword query ("air max 90"). */
export const spokenPricePhrases: readonly Phrase[] = [
  phrase(`${alternation(price.spokenAtMost, price.ownAtMost)}(?: ?[,:])? ?${noCount}`, maxPrice),
  phrase(`${amount} ${alternation(price.spokenOrLess)}`, maxPrice),
  phrase(`${number} ?-?ish\\b`, priceAround),
];
