import type { Sorting } from "../understanding.ts";

/** Requests for a comparison, with the words that identify them. */
const comparing: readonly RegExp[] = [
  /\b(?:please )?(?:compare|contrast|comparison (?:of|between))\b(?: me)?/u,
  /\b(?:what(?:'s| is| are) )?(?:the )?(?:main )?differences? between\b/u,
  /\bhow (?:do|does) (?=.+ (?:compare|differ)\b)|\b(?:compare|differ)(?: (?:to|with|from))?(?: each other)?\b/u,
  /\bwhich (?:one |of (?:them|these|the two) )?(?:is|are|would be|should i (?:buy|get|take|choose))(?: the)?(?: (?:better|best|cheaper|nicer|good|right))?(?: one| choice| buy| for me)?\b(?=.*\bor\b)/u,
  /\bis it better to (?:buy|get|take)\b/u,
  /^(?:is|are) (?=.+ (?:better|cheaper|nicer) than )/u,
];
const better = /\b(?:is |are )?(?:better|cheaper|nicer) than\b/u;
const against = /\b(?:versus|vs|compared (?:to|with)|as opposed to)\b ?,?/gu;

const betterFor =
  /^(?:which|what)(?: one)?(?:'s| is| are)(?: the)? (?:better|best|nicer|good)(?: one| choice)? (for [^,]+?) ?, ?(.+ or .+)$/u;

/** "Which is better for tea, a mug or a teapot?" → a mug for tea or a teapot for tea. */
function withPurpose(text: string): string | undefined {
  const [, purpose, things] = betterFor.exec(text.replace(/[?\s]+$/u, "")) ?? [];
  if (purpose === undefined || things === undefined) return undefined;
  return things
    .split(/ ?,? or /u)
    .map((thing) => `${thing} ${purpose}`)
    .join(" or ");
}

/** "Which is better, a tote or a backpack?" → "a tote or a backpack"; undefined if it is not a comparison. */
export function thingsCompared(text: string): string | undefined {
  const forPurpose = withPurpose(text);
  if (forPurpose !== undefined) return forPurpose;
  const versus = text.replace(against, " or ");
  const pattern = comparing.find((candidate) => candidate.test(text));
  if (pattern === undefined && versus === text) return undefined;
  const withoutVerb = comparing.reduce((rest, candidate) => rest.replace(candidate, " "), versus);
  const things = withoutVerb
    .replace(better, " or ")
    .replace(/^(?!.*\b(?:and|or)\b)(.*?) (?:with|to) /u, "$1 or ")
    .replace(/^[\s,]+|[\s,]+$/gu, "")
    .replace(/\s+/gu, " ");
  return /\S (?:and|or) \S/u.test(things) ? things : undefined;
}

const cheapest = "cheapest|least expensive|most affordable|lowest priced";
const dearest = "dearest|(?:most|the most) expensive|priciest|highest priced";
const bestRated = "best rated|top rated|best reviewed|best";
const either = `(?:(?<first>${cheapest}|${dearest}|${bestRated}) (?:one )?(?:and|with|to|or|against|versus|vs|from)(?: which)?(?: is)?(?: the| your)? (?<second>${cheapest}|${dearest}|${bestRated}))`;
const extremes = new RegExp(`\\b${either}(?: of your| of the)?(?<things>(?: [\\p{L}-]+)+)`, "u");

export interface ComparedExtremes {
  /** "floor lamp". */
  thing: string;
  orders: readonly Sorting[];
}

/** "Compare the cheapest and the dearest floor lamp": two products of one kind. */
export function extremesCompared(text: string): ComparedExtremes | undefined {
  const { first, second, things } =
    extremes.exec(text.replace(/[-,]/gu, " ").replace(/ +/gu, " "))?.groups ?? {};
  if (first === undefined || second === undefined || things === undefined) return undefined;
  const thing = things
    .trim()
    .replace(/^(?:of )?(?:the |your )?/u, "")
    .replace(/(?: please| you have)+$/u, "");
  return { thing, orders: [first, second].map(orderOf) };
}

function orderOf(superlative: string): Sorting {
  if (new RegExp(`^(?:${bestRated})$`, "u").test(superlative)) return { sort: "rating", order: "desc" };
  return { sort: "price", order: new RegExp(`^(?:${cheapest})$`, "u").test(superlative) ? "asc" : "desc" };
}

/** The things to compare, each as its own intent. */
export function splitCompared(text: string): string[] {
  return text
    .split(/\s*,?\s+(?:and|or)\s+|\s*,\s*/u)
    .filter((piece) => piece.trim() !== "")
    .slice(0, 4);
}
