import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { type LeftOut, readingLimits, unlessUsedUp } from "../reading.ts";
import { comparable } from "./colours.ts";
import { withMarksOf } from "./limit-words.ts";
import { measuresIn } from "./measures.ts";
import { determiners } from "./phrases/grammar-words.ts";
import { contentWords } from "./phrases/offer-phrases.ts";
import { isSize } from "./read-roles.ts";
import { isTopic, materialNames } from "./things.ts";
import { audienceWords, giftWords, opinionWords, peopleWords, qualityWords } from "./word-lists.ts";

/** After so many searches, further parts are joined without one: a list of a hundred properties is one thing. */
const maxProbes = 16;

const separator =
  /\s*,\s*(?:(?:and|or|plus)\s+)?|\s+(?:and also|and|&|plus|as well as|along with|or)\s+|\s*\+\s*/u;
const adjective =
  /(?:(?<!\bt)able|ible|proof|ful|ed|ing|y|less|ish|al|ic|ive|ous|ant|ent|free|resistant|warm|soft|small|large|big|new|old|light|hot|cold)$/u;

/** "I want to buy": what follows is the thing. */
const wish = /^.*?\b(?:want|like|love|need|have|looking|going|trying|wish|hope) to \p{L}+\b/u;

const alternatives = /(?<!\p{L})(?<all>\p{L}+(?: ?, ?\p{L}+)?) ?,? or (?<last>\p{L}+)(?<next> \p{L}+)?/u;

/** "A desk in oak or walnut" → a desk in oak, and one in walnut. */
function splitAlternatives(text: string): string[] {
  const match = alternatives.exec(text);
  const { all = "", last = "", next = "" } = match?.groups ?? {};
  const firsts = all.split(/ ?, ?/u);
  const isEnd = contentWords(next).length === 0;
  if (
    match === null ||
    !(firsts.every((word) => materialNames.has(word)) || (isEnd && materialNames.has(last)))
  )
    return [text];
  const [start, end] = [text.slice(0, match.index), text.slice(match.index + match[0].length)];
  return [...firsts, last].map((word) => `${start}${word}${next}${end}`);
}

const one = /(?<thing>\p{L}+)(?<between> (?:and|or) (?:an?|the) (?:(?:\p{L}+|⟦\d+⟧) ){1,2})ones?(?!\p{L})/gu;

/** "A red tent and a blue one" → a red tent and a blue tent. */
export function withThingForOne(text: string): string {
  return text.replace(one, "$<thing>$<between>$<thing>");
}

/** "a tent and a sleeping bag" → two texts; "warm and dry boots" stays one. Marks keep their positions. */
export async function splitIntents(
  text: string,
  textSearch: TextSearch,
  signal: AbortSignal,
  leftOut?: LeftOut,
): Promise<string[]> {
  const choices = splitAlternatives(text);
  if (choices.length > 1) return choices;
  const intents: string[] = [];
  const pieces = text.split(separator).filter((part) => part.trim() !== "");
  let probes = 0;
  let isFull = false;
  const finds = async (words: readonly string[]): Promise<boolean> => {
    probes += 1;
    return (await textSearch.search({ ...probe, text: words.join(" ") }, signal)).total > 0;
  };
  for (const piece of pieces) {
    const last = intents.at(-1);
    const [word] = contentWords(piece);
    if (last === undefined) intents.push(piece);
    else if (intents.length === readingLimits.things && word !== undefined) {
      // Everything after this thing is left out, except limits of the price and the like.
      if (leftOut !== undefined && !isFull) leftOut.from = word;
      isFull = true;
      intents[intents.length - 1] = withMarksOf(last, piece);
    } else if (
      probes < maxProbes &&
      (await unlessUsedUp(() => beginsNewIntent(last, piece, textSearch, finds), false))
    )
      intents.push(piece);
    else intents[intents.length - 1] = joinPieces(last, piece);
  }
  return intents;
}

/** "running shoes, waterproof" stays one, with its comma. In "warm, dry boots" the noun comes last. */
function joinPieces(first: string, second: string): string {
  const [word, ...others] = contentWords(first);
  const isProperty =
    word === undefined || (others.length === 0 && isPropertyWord(word) && contentWords(second).length >= 2);
  return `${first}${isProperty ? " " : " , "}${second}`;
}

/** Not "table" or "bedding": these words are surely no things. */
const property =
  /^(?:small|large|big|light|hot|cold|warm|soft)$|\p{L}{3,}(?:able|ible|proof|ful|less|ish|ous|ive|resistant|free)$/u;

function isPropertyWord(word: string): boolean {
  return property.test(word) || [materialNames, opinionWords, qualityWords].some((list) => list.has(word));
}

async function beginsNewIntent(
  first: string,
  second: string,
  textSearch: TextSearch,
  finds: (words: readonly string[]) => Promise<boolean>,
): Promise<boolean> {
  const left = contentWords(first);
  const right = contentWords(second);
  if (left.length === 0 || right.length === 0 || right.every(isPropertyWord)) return false;
  if (isSize(left) || isSize(right) || measuresIn(right.join(" ")).flat().length === right.length)
    return false;
  const insidePhrase = /\b(?:for|with|to|of|from)\b/u.test(first.replace(wish, ""));
  if (
    determiners.has(
      second
        .trim()
        .replace(/^(?:also|then|too|maybe|perhaps|please|even) /u, "")
        .split(" ")[0] ?? "",
    ) &&
    !insidePhrase
  )
    return true;
  if ((await namesCategory(left, textSearch)) && (await namesCategory(right, textSearch))) return true;
  if (insidePhrase || adjective.test(left.at(-1) ?? "")) return false;
  if (await finds([...left, ...right])) return false;
  if ((await finds(left)) && (await finds(right))) return true;
  return (await areTwoThings(left, right, textSearch)) || (await areTwoThings(right, left, textSearch));
}

/** "A hat and gloves": gloves are a thing too, although the catalog has none. */
async function areTwoThings(
  names: readonly string[],
  other: readonly string[],
  textSearch: TextSearch,
): Promise<boolean> {
  const [thing = ""] = other;
  const isWord = [opinionWords, qualityWords, giftWords, peopleWords, audienceWords].some((list) =>
    list.has(thing),
  );
  const isThing = other.length === 1 && !isWord && !isTopic(thing) && !adjective.test(thing);
  return isThing && (await namesCategory(names, textSearch));
}

const probe = {
  filters: { source: "catalog" },
  sort: "relevance",
  order: "desc",
  offset: 0,
  limit: 1,
  everyWord: true,
} as const;

async function namesCategory(words: readonly string[], textSearch: TextSearch): Promise<boolean> {
  const text = words.join(" ");
  const names = await textSearch.categoriesNamedIn(text);
  return names.some((name) => ` ${comparable(text)}`.endsWith(` ${comparable(name)}`));
}
