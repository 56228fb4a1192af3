import { alternation, letter, letterButNoDigit } from "./alternation.ts";
import { type Meaning, type Phrase, phrase } from "./phrase-table.ts";
import colours from "./words/colours.json" with { type: "json" };
import materials from "./words/materials.json" with { type: "json" };
import negation from "./words/negation.json" with { type: "json" };
import price from "./words/price.json" with { type: "json" };

const property = alternation(...colours, ...materials);
const notThings = new Set(negation.notThings);
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
