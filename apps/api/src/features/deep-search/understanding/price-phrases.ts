import { moneyMark } from "./normalise.ts";
import { type Meaning, type Phrase, type PhraseContext, phrase } from "./phrases.ts";

const units = [
  "%|stars?|kgs?|kilos?|kilograms?|g|grams?|lbs?|oz|ounces?|mm|cms?|m|km|met(?:er|re)s?|inch(?:es)?|ft|feet",
  "ml|cl|l|lit(?:er|re)s?|gallons?|watts?|w|volts?|v|mah|lumens?|hours?|hrs?|minutes?|mins?|days?|weeks?|months?|years?",
  "gb|tb|mb|mp|hz|khz|persons?|people|men|man|women|kids|pieces?|pcs|packs?|seats?|doors?|items?|reviews?|degrees?|threads?|pages?",
].join("|");
/** A number that is no measure: "under 2 kg" says nothing about the price. */
const amount = `(\\d+(?:\\.\\d+)?)(?![\\d.]*\\d)(?:${moneyMark}|(?!${moneyMark}|\\s*-?\\s*(?:${units})(?![\\p{L}])|\\s*"))`;
const money = `(\\d+(?:\\.\\d+)?)${moneyMark}`;

/** Around means within a fifth. */
const aroundShare = 0.2;

const range = (match: RegExpExecArray, { toMinor }: PhraseContext): Meaning => {
  const bounds = [Number(match[1]), Number(match[2])].sort((first, second) => first - second);
  return {
    constraints: { minPriceMinor: toMinor(bounds[0] ?? 0), maxPriceMinor: toMinor(bounds[1] ?? 0) },
  };
};
const atMost = (match: RegExpExecArray, { toMinor }: PhraseContext): Meaning => ({
  constraints: { maxPriceMinor: toMinor(Number(match[1])) },
});
const atLeast = (match: RegExpExecArray, { toMinor }: PhraseContext): Meaning => ({
  constraints: { minPriceMinor: toMinor(Number(match[1])) },
});
const around = (match: RegExpExecArray, { toMinor }: PhraseContext): Meaning => ({
  constraints: {
    minPriceMinor: toMinor(Number(match[1]) * (1 - aroundShare)),
    maxPriceMinor: toMinor(Number(match[1]) * (1 + aroundShare)),
  },
});

const lead =
  "(?:\\b(?:that\\s|which\\s)?(?:(?:are|is|all|each)\\s)?(?:priced?|costing|costs?|worth|for|at|with a|my|a)\\s(?:price|budget|limit)?\\s?(?:is|of|at|range)?\\s?)?";
const below =
  "(?:\\b(?:under|underneath|below|beneath|less than|lower than|cheaper than|up to|at most|at maximum|max(?:imum)?(?: of| price(?: of)?)?|no(?:t)? more than|not (?:over|above|exceeding)|no higher than|within|(?:don't|do not) want to (?:spend|pay) (?:more than|over)|(?:can|could|will|want to|to) (?:only )?(?:spend|pay|afford)(?: up to| at most)?|(?:i have|i've got|i got|have only)(?: only| about| just)?|budget(?: is| of|:)?(?: about| around)?|not exceeding)|<=?|≤)";
const above =
  "(?:\\b(?:over|above|more than|at least|at minimum|min(?:imum)?(?: of| price(?: of)?)?|no(?:t)? less than|not (?:under|below)|no cheaper than|starting (?:at|from)|upwards of|costlier than|higher than)|>=?|≥)";
/** "Under 50 euros" as neighbours say it: enough to respect a bound in a request that is otherwise only searched. */
const foreignBelow =
  "(?:(?<!\\p{L})(?:unter|bis(?: zu)?|höchstens|maximal|weniger als|menos de|hasta|por menos de|moins de|jusqu'à|meno di|fino a|sotto(?: i)?|onder(?: de)?|minder dan|até|abaixo de)(?: de)?)";
const foreignAbove =
  "(?:(?<!\\p{L})(?:über|ab|mindestens|mehr als|más de|desde|plus de|à partir de|più di|oltre(?: i)?|boven(?: de)?|meer dan|mais de|acima de))";
const near =
  "(?:\\b(?:around|about|approximately|approx|roughly|circa|ca|near(?:ly)?|close to|somewhere around)|[~≈])";

const together =
  "\\b(?:(?:all )?together|altogether|in (?:total|all|sum)|combined|for (?:both|all of (?:them|it)|everything|the lot)|total(?: budget| price| cost)?)\\b";

/** In this order: what is most explicit comes first, so that "not more than" is no "more than". */
export const pricePhrases: readonly Phrase[] = [
  phrase(`${lead}\\b(?:in )?between ${amount} (?:and|to|-) ${amount}`, range),
  phrase(`${lead}\\bfrom ${amount} (?:up )?(?:to|until|till|-) ${amount}`, range),
  phrase(`${lead}(?<![\\d.])${money} ?(?:to|-|and) ?${money}`, range),
  phrase(`${lead}(?<![\\d.])(\\d+(?:\\.\\d+)?) ?(?:to|-) ?${money}`, range),
  phrase(`${lead}(?<![\\d.])${money} ?(?:to|-) ?(\\d+(?:\\.\\d+)?)(?![\\d.]*\\d)`, range),
  phrase(`\\bprice(?:s|d)?(?: range)?(?: of| from| is)? ${amount} ?(?:to|-|and) ?${amount}`, range),
  phrase(`${lead}${below}(?: the)?(?: ?,)? ?${amount}(?: each| per (?:item|piece))?`, atMost),
  phrase(
    `${lead}(?<![\\d.])${amount} (?:or (?:less|under|below|cheaper|lower)|and (?:less|under|below)|max(?:imum)?|at (?:the )?most|tops|budget|limit)(?![\\p{L}])`,
    atMost,
  ),
  phrase(`${lead}(?<![\\d.])${amount}(?= ?(?:${together}))`, atMost),
  phrase(`${lead}${above}(?: the)? ?${amount}`, atLeast),
  phrase(
    `${lead}(?<![\\d.])(?:from )?${amount} ?(?:or (?:more|above|over|up)|and (?:up|above|over|more)|\\+|upwards|minimum)(?![\\p{L}])`,
    atLeast,
  ),
  phrase(`${foreignBelow} ${money}`, atMost),
  phrase(`${foreignAbove} ${money}`, atLeast),
  phrase(`${lead}\\bfrom ${money}`, atLeast),
  phrase(`${lead}${near} ?${amount}`, around),
  phrase(`${lead}(?<![\\d.])${amount} ?-?ish\\b`, around),
  phrase(`${lead}(?<![\\d.])${money}`, around),
];

/** Words that make a price bound hold for everything at once. */
export const togetherPhrases: readonly Phrase[] = [phrase(together, () => ({ shared: true }))];
