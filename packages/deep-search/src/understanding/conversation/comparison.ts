import type { MarkedRequest } from "../request-meaning.ts";
import type { Sorting } from "../understanding.ts";

const comparative =
  "(?:better|best|good|right|more \\p{L}+|(?:cheap|nic|warm|light|heavi|soft|strong|quiet|fast|bigg|small|saf|easi|healthi)er)";

/** Requests for a comparison, with the words that identify them. */
const comparing: readonly RegExp[] = [
  /\b(?:please )?(?:compare|contrast|comparison (?:of|between))\b(?: me)?/u,
  /\b(?:what(?:'s| is| are) )?(?:the )?(?:main )?differences? between\b/u,
  /\bhow (?:do|does) (?=.+ (?:compare|differ)\b)/u,
  /\b(?:compare|differ)\b(?: each other)?/u,
  new RegExp(
    `\\b(?:which(?: one)?(?: of (?:them|these|those|the 2))?(?: is| are| would be| should (?:i|we) (?:buy|get|take|choose))(?: the)?(?: ${comparative}(?! (?:or|than)\\b))?|what(?:'s| is) ${comparative})(?: one| choice| buy| for me)?\\b(?:(?=.*\\bor\\b)|(?<=\\bor\\b.*))`,
    "u",
  ),
  /\bha(?:s|ve) (?:the )?(?:better|best|higher|highest) (?:ratings?|reviews?)\b/u,
  /\bis it better to (?:buy|get|take)\b/u,
  new RegExp(`^(?:is|are) (?=.+ (?:${comparative} than|or .+ ${comparative}) )`, "u"),
];
const better = new RegExp(`\\b(?:is |are )?${comparative} than\\b`, "u");
const betterAtEnd = new RegExp(`(?<=\\bor .*) ${comparative}(?= for\\b|[ ,]*$)`, "u");
const against =
  /\b(?:versus|vs|compared (?:to|with)|as opposed to|(?<=. )(?:compare|differ) (?:to|with|from))\b ?,?/gu;

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
  const things = withoutComparing(versus)
    .replace(better, " or ")
    .replace(betterAtEnd, "")
    .replace(/^(?!.*\b(?:and|or)\b)(.*?) (?:with|to) /u, "$1 or ")
    .replace(/^[\s,]+|[\s,]+$/gu, "")
    .replace(/\s+/gu, " ")
    .replace(/ ?, ?(?=for )/gu, " ");
  return /\S (?:and|or) \S/u.test(things) ? things : undefined;
}

function withoutComparing(text: string): string {
  return comparing.reduce((rest, pattern) => rest.replace(pattern, " "), text);
}

/** Two orders with a word of a comparison, or one of two products: "your 2 cheapest kettles". */
export const comparesOrders = /\b(?:compar|contrast|differ|versus|vs\b|better|against|which\b|or\b)/u;
const orders =
  /(?:\b(?:and|or|with|to|from|than|against|versus|vs|of|the|your) )*⟦(?<mark>\d+)⟧(?: ones?\b)?/gu;
const link = /\b(?:and|or|with|to|from|than|against|versus|vs) /u;

export interface ComparedExtremes {
  /** "floor lamp". */
  thing: string;
  orders: readonly [Sorting] | readonly [Sorting, Sorting];
}

/** "Compare the cheapest and the dearest floor lamp", "which of the 2 cheapest?": two products of one kind. */
export function extremesCompared({ text, meanings }: MarkedRequest): ComparedExtremes | undefined {
  const all = [...text.matchAll(orders)].flatMap(({ 0: words, groups, index }) => {
    const sorting = meanings[Number(groups?.mark)]?.sorting;
    return sorting === undefined ? [] : [{ sorting, words, index }];
  });
  const [first, second] = all;
  if (first === undefined) return undefined;
  const thing = withoutComparing(all.reduce((left, { words }) => left.replace(words, " "), text));
  if (second === undefined)
    return /\b2 /u.test(text) ? { thing: thing.replace(/\b2 /u, ""), orders: [first.sorting] } : undefined;
  const isPair =
    all.length === 2 &&
    link.test(text.slice(first.index + first.words.length - 1, second.index) + second.words);
  return isPair ? { thing, orders: [first.sorting, second.sorting] } : undefined;
}

/** The things to compare, each as its own intent. */
export function splitCompared(text: string): string[] {
  return text
    .split(/\s*,?\s+(?:and|or)\s+|\s*,\s*/u)
    .filter((piece) => piece.trim() !== "")
    .slice(0, 4);
}
