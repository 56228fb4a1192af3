import {
  bestBelow,
  bestKinds,
  type CatalogKind,
  type KindTable,
  type ScoredKind,
  scoresOf,
} from "./kinds.ts";
import type { WordMeaning } from "./word-meaning.ts";
import { formsOf, functionWords, giftWords, wordsOf } from "./words.ts";

/**
 * Measured on queries of which half were held back. The name of a thing needs a far better match than a description, and a
 * fixed name of several words ("sleeping bag") nearly the same words.
 */
const leastScores = { description: 0.28, name: 0.5, thing: 0.6, fixedName: 0.85 } as const;
/** Kinds this close to the best one are chosen as well. */
const within = 0.04;
/** Kinds this close to the best one are meant if their products have the other words of the text. */
const withinWords = 0.1;
/** Of the kinds below an umbrella word, those this close to the best one fit the other words of the text. */
const withinUmbrella = 0.1;
const maxChosen = 60;
/** A kind that is not below the umbrella word, but this much closer, is meant instead. */
const clearlyCloser = 0.12;
/** With a description that fits this well, the kinds are sure, even if a search found some products. */
const sureScore = 0.42;
/** A part of a fixed name must fit the whole: the bag of a sleeping bag is not the base that players run to. */
const leastScoreOfShorterName = 0.4;
/** A longer text is a description, even if it ends with the name of a thing. */
const maxWordsOfThing = 3;
/** The longest name of a thing, in words. */
const longestName = 3;
/** Words that stand before the name of a thing without describing it. */
const articles: ReadonlySet<string> = new Set(["a", "an", "any", "my", "new", "our", "some", "the"]);

/** What a search did with a text. */
export interface LexicalReading {
  readonly total: number;
  readonly ignoredWords: readonly string[];
}

export interface ChosenKinds {
  /** Best first; at least one. */
  readonly kinds: readonly CatalogKind[];
  /** Those of them that fit all words of the text. */
  readonly closest: readonly CatalogKind[];
  /** Words of the text that the kinds do not stand for. */
  readonly otherWords: readonly string[];
  /** The text names what stands above the kinds: furniture. */
  readonly isUmbrella: boolean;
  /** Whether the text describes the kinds well and names no other. */
  readonly isSure: boolean;
}

/** The words that say what is wanted. */
export function contentWords(text: string): string[] {
  return wordsOf(text).filter((word) => !functionWords.has(word) && !giftWords.has(word));
}

/**
 * Whether a search understood too little of a text: it found nothing, it ignored half of the words that say what is
 * wanted, or words of presents and umbrella words were all that it had.
 */
export function isWeak(text: string, { total, ignoredWords }: LexicalReading): boolean {
  if (total === 0) return true;
  const content = contentWords(text);
  if (content.length === 0) return true;
  const ignored = ignoredWords.flatMap(wordsOf);
  if (ignored.some((word) => giftWords.has(word))) return true;
  return content.filter((word) => ignored.includes(word)).length * 2 >= content.length;
}

/** The kinds of a catalog that a text means; undefined if it means none of them well enough. */
export function chooseKinds(meaning: WordMeaning, table: KindTable, text: string): ChosenKinds | undefined {
  const words = contentWords(text);
  const vector = meaning.vectorOf(words);
  if (vector === undefined) return undefined;
  // Once for both: it takes most of the time.
  const scores = scoresOf(table, vector);
  const nearest = bestKinds(table, scores, maxChosen);
  const below = kindsBelow(meaning, table, text, scores);
  const form = formOf(meaning, text);
  const best = nearest[0]?.score ?? 0;
  if (below !== undefined && best <= below.score + clearlyCloser) return withCloser(below, nearest);
  const isSure =
    form === "description" &&
    best >= sureScore &&
    !words.some((word) => meaning.isThing(word) && isNamed(table, word));
  return kindsLike(nearest, leastScores[form], isSure);
}

/** Whether a text is the name of one sort of things: a sleeping bag is not a bag for sleeping, and a deck chair no chair. */
export function isFixedName(meaning: WordMeaning, text: string): boolean {
  return formOf(meaning, text) === "fixedName";
}

/** The kinds of which the text names the umbrella word, and the best score: "black furniture for the office". */
function kindsBelow(
  meaning: WordMeaning,
  table: KindTable,
  text: string,
  scores: Float32Array,
): KindsBelow | undefined {
  const names = endingsOf(namedThing(text)).filter((ending) => meaning.isThing(ending));
  for (const name of names) {
    // The seat of a toilet seat is no chair.
    if (name !== names[0] && meaning.isBareThing(names[0] ?? "")) return undefined;
    // A sleeping bag is not one of the bags of the catalog, but office furniture is furniture.
    if (name !== names[0] && isNamed(table, name)) return undefined;
    const below = bestBelow(table, meaning.meaningsOf(name), scores, maxChosen);
    const [first] = below;
    if (first === undefined || (name !== names[0] && first.score < leastScoreOfShorterName)) continue;
    const used = new Set(name.split(" "));
    return { below, otherWords: contentWords(text).filter((word) => !used.has(word)), score: first.score };
  }
  return undefined;
}

/** The kinds below an umbrella word, best first. */
interface KindsBelow {
  readonly below: readonly ScoredKind[];
  readonly otherWords: readonly string[];
  /** Of the best one. */
  readonly score: number;
}

/** With the kinds that fit the whole text better than any below its umbrella word: a dress is no "garment" in WordNet. */
function withCloser({ below, otherWords, score }: KindsBelow, nearest: readonly ScoredKind[]): ChosenKinds {
  const members = new Set(below.map(({ kind }) => kind));
  const closer = nearest.filter((one) => one.score > score && !members.has(one.kind));
  const all = [...closer, ...below];
  const least = score - withinUmbrella;
  const closest = all.filter((one) => one.score >= least);
  return {
    kinds: all.map(({ kind }) => kind),
    closest: closest.map(({ kind }) => kind),
    otherWords,
    isUmbrella: true,
    isSure: false,
  };
}

/** Whether the catalog has a kind of this name, in singular or plural. */
function isNamed(table: KindTable, name: string): boolean {
  const heads = headsOf(table);
  return formsOf(name).some((form) => heads.has(form));
}

const headsOfTables = new WeakMap<KindTable, ReadonlySet<string>>();

/** What the things of the kinds are called. Found once for each table: names of thousands of kinds take milliseconds. */
function headsOf(table: KindTable): ReadonlySet<string> {
  const former = headsOfTables.get(table);
  if (former !== undefined) return former;
  const heads = new Set(table.kinds.flatMap(({ name }) => formsOf(wordsOf(name).at(-1) ?? "")));
  headsOfTables.set(table, heads);
  return heads;
}

/** The first words in a row that can name what is wanted; not those after "to", which say what to do with it. */
function namedThing(text: string): readonly string[] {
  const run: string[] = [];
  let former: string | undefined;
  for (const word of wordsOf(text)) {
    const isContent = !functionWords.has(word) && !giftWords.has(word);
    if (isContent && (run.length > 0 || former !== "to")) run.push(word);
    else if (run.length > 0) break;
    former = word;
  }
  return run;
}

/** Longest first: "musical instrument", then "instrument". */
function endingsOf(words: readonly string[]): string[] {
  const longest = Math.min(longestName, words.length);
  return Array.from({ length: longest }, (_, shorter) => words.slice(shorter - longest).join(" "));
}

function kindsLike(
  nearest: readonly ScoredKind[],
  leastScore: number,
  isSure: boolean,
): ChosenKinds | undefined {
  const [best] = nearest;
  if (best === undefined || best.score < leastScore) return undefined;
  const closest = nearest.filter(
    ({ kind, score }) => score >= best.score - within && !best.kind.path.includes(kind.name),
  );
  const kinds = nearest.filter(({ score }) => score >= best.score - withinWords);
  return {
    kinds: kinds.map(({ kind }) => kind),
    closest: closest.map(({ kind }) => kind),
    otherWords: [],
    isUmbrella: false,
    isSure,
  };
}

/** A short text that only names something asks for what a catalog has or has not: "wine glasses", not "for wine". */
function formOf(meaning: WordMeaning, text: string): keyof typeof leastScores {
  const words = wordsOf(text);
  const name = articles.has(words[0] ?? "") ? words.slice(1) : words;
  if (name.length > maxWordsOfThing || name.some((word) => functionWords.has(word) || giftWords.has(word)))
    return "description";
  if (name.length > 1 && meaning.isBareThing(name.join(" "))) return "fixedName";
  return endingsOf(name).some((ending) => meaning.isThing(ending)) ? "thing" : "name";
}
