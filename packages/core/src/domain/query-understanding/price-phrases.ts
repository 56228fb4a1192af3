import { price } from "../languages/languages.ts";
import type { Constraints } from "./constraints.ts";
import { noMeasure, number } from "./measures.ts";
import { moneyMark } from "./normalise.ts";
import {
  alternation,
  letterButNoDigit,
  type Meaning,
  type Phrase,
  type PhraseContext,
  phrase,
} from "./phrase-table.ts";

const money = `${number}${moneyMark}`;
const pounds = "(?: pounds?\\b)?";
const amount = `${number}(?:${moneyMark}|${noMeasure})${pounds}`;
/**
 * A number before another word is a count ("up to 4 drawers") and not a price, unless it is marked as money or one of
 * these words follows.
 */
const goesOn = alternation(price.goesOn);
const noCount = `${number}(?:${moneyMark}|${noMeasure}(?! ?(?!${goesOn})${letterButNoDigit}))`;

/** "Around" means plus or minus a fifth. */
const aroundShare = 0.2;

type Bounds = Pick<Constraints, "minPriceMinor" | "maxPriceMinor">;
type ReadBounds = (amounts: readonly number[], toMinor: PhraseContext["toMinor"]) => Bounds;

/** The amounts are in those groups of the match that are set. */
const bound =
  (bounds: ReadBounds): Phrase["read"] =>
  ([, ...groups], { toMinor }): Meaning => {
    const amounts = groups.filter((group) => group !== undefined).map(Number);
    return { constraints: bounds(amounts, toMinor) };
  };
const range = bound((amounts, toMinor) => ({
  minPriceMinor: toMinor(Math.min(...amounts)),
  maxPriceMinor: toMinor(Math.max(...amounts)),
}));
const atMost = bound(([most = 0], toMinor) => ({ maxPriceMinor: toMinor(most) }));
const atLeast = bound(([least = 0], toMinor) => ({ minPriceMinor: toMinor(least) }));
const around = bound(([middle = 0], toMinor) => ({
  minPriceMinor: toMinor(middle * (1 - aroundShare)),
  maxPriceMinor: toMinor(middle * (1 + aroundShare)),
}));

const each = "(?: (?:each|per (?:item|piece)))?";
const and = alternation(price.and);
const to = alternation(price.to);

/** Words that make a price bound apply to everything together. */
export const together =
  "\\b(?:(?:all )?together|altogether|in (?:total|all|sum)|combined|for (?:both|all of (?:them|it)|everything|the lot)|total(?: budget| price| cost)?)\\b";

/** The order matters: the most explicit phrases come first, so that "not more than" is not read as "more than". */
export const pricePhrases: readonly Phrase[] = [
  phrase(`${alternation(price.between)} ${amount} ?${and} ?${amount}`, range),
  phrase(`${alternation(price.from)} ${amount} (?:up )?${to} ?${amount}`, range),
  phrase(`${money} ?${and} ?${money}|${number} ?${to} ?${money}|${money} ?${to} ?${number}`, range),
  phrase(`\\bprices?d?(?: range)?(?: of| from| is)? ${amount} ?${and} ?${amount}`, range),
  phrase(`${alternation(price.below)}(?: the)? ?${amount}${each}`, atMost),
  phrase(`${alternation(price.atMost)}(?: the)? ?${noCount}${pounds}${each}`, atMost),
  phrase(`${amount} ${alternation(price.orLess)}`, atMost),
  phrase(`${money} ${alternation(price.spokenOrLess)}`, atMost),
  phrase(`${alternation(price.spokenAtMost, price.ownAtMost)}(?: ?[,:])? ?${money}`, atMost),
  phrase(`${amount}(?= ?(?:${together}))`, atMost),
  phrase(`${alternation(price.above, price.atLeast)}(?: the)? ?${noCount}`, atLeast),
  phrase(
    `(?:from )?${amount} ${alternation(price.orMore)}|${money} ?\\+|${number}\\+(?=$| ?[,⟦]| ${goesOn})|\\bfrom ${money}`,
    atLeast,
  ),
  phrase(`${alternation(price.about)} ?${noCount}`, around),
  phrase(`(?<![x*] )${money}`, around),
];

/** Price phrases in a sentence that may be the name of a product in a keyword query ("air max 90"). */
export const spokenPricePhrases: readonly Phrase[] = [
  phrase(`${alternation(price.spokenAtMost, price.ownAtMost)}(?: ?[,:])? ?${noCount}`, atMost),
  phrase(`${amount} ${alternation(price.spokenOrLess)}`, atMost),
  phrase(`${number} ?-?ish\\b`, around),
];
