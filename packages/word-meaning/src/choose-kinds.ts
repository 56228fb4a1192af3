import {
  bestBelow,
  bestKinds,
  type CatalogKind,
  type KindTable,
  type ScoredKind,
  scoresOfText,
} from "./kinds.ts";
import type { WordMeaning } from "./word-meaning.ts";
import { contentWords, formsOf, functionWords, isGiftWord, wordsOf } from "./words.ts";

/**
 * Measured on queries of which half were held back. The name of a thing needs a far better match than a description, and a
 * fixed name of several words ("sleeping bag") nearly the same words.
 */
const leastScores = {
  description: 0.28,
  collective: 0.36,
  names: 0.37,
  name: 0.53,
  thing: 0.64,
  fixedName: 0.85,
} as const;
/** Kinds this close to the best one are chosen as well. */
const within = 0.04;
/** Kinds this close to the best one are meant if their products have the other words of the text. */
const withinWords = 0.1;
/** Of the kinds below an umbrella word, those this close to the best one fit the other words of the text. */
const withinUmbrella = 0.1;
const maxChosen = 60;
/** A kind that is not below the umbrella word, but this much closer, is meant instead. */
const clearlyCloser = 0.12;
/** A part of a fixed name must fit the whole: the bag of a sleeping bag is not the base that players run to. */
const leastScoreOfShorterName = 0.4;
/** A longer text is a description, even if it ends with the name of a thing. */
const maxWordsOfThing = 3;
/** The longest name of a thing, in words. */
const longestName = 3;
/** Words that stand before the name of a thing without describing it. */
const articles: ReadonlySet<string> = new Set(["a", "an", "any", "my", "new", "our", "some", "the"]);

/** Words between the name of a thing and what it is for or like. */
const linkingWords: ReadonlySet<string> = new Set(
  "against by for from in of on that to under which with without".split(" "),
);

export interface ChosenKinds {
  /** Best first; at least one. */
  readonly kinds: readonly CatalogKind[];
  /** Those of them that fit all words of the text. */
  readonly closest: readonly CatalogKind[];
  /** Words of the text that the kinds do not stand for. */
  readonly otherWords: readonly string[];
  /** The text names what stands above the kinds: furniture. */
  readonly isUmbrella: boolean;
  /** Whether the kinds are called what the text names: "warm jacket" means only kinds of jackets. */
  readonly isNamed: boolean;
  /** Words of the text that the kinds stand for: their products need not have them. */
  readonly meantWords: readonly string[];
}

/** What a text names first, as in "warm jacket for storms". */
export interface NamedThing {
  /** "jacket", "sleeping bag". */
  readonly words: readonly string[];
  /** The other words of the text that have a meaning. */
  readonly describing: readonly string[];
}

/** The kinds of a catalog that a text means; undefined if it means none of them well enough. */
export function chooseKinds(meaning: WordMeaning, table: KindTable, text: string): ChosenKinds | undefined {
  const words = contentWords(text);
  // Once for both: it takes most of the time.
  const scores = scoresOfText(meaning, table, text);
  if (scores === undefined) return undefined;
  const nearest = bestKinds(table, scores, maxChosen);
  const below = kindsBelow(meaning, table, text, scores);
  const form = formOf(meaning, text);
  const best = nearest[0]?.score ?? 0;
  if (below !== undefined && best <= below.score + clearlyCloser) return withCloser(below, nearest);
  const meantWords = form === "description" ? words.filter((word) => meaning.isWord(word)) : [];
  const called = kindsCalled(table, namedThing(meaning, text)?.words ?? [], scores);
  const isNamed = called.length > 0 && best >= leastScores[form];
  const chosen = isNamed
    ? kindsLike(called, Number.NEGATIVE_INFINITY)
    : kindsLike(nearest, leastScores[form]);
  return chosen && { ...chosen, isNamed, meantWords };
}

/** The kinds with this name, or a longer one that ends with it, best first. */
function kindsCalled(
  table: KindTable,
  name: readonly string[],
  scoresOfAll: Float32Array,
): readonly ScoredKind[] {
  const [last] = name.slice(-1);
  if (last === undefined || !isKindName(table, last)) return [];
  const scores = scoresOfAll.slice();
  table.kinds.forEach((kind, at) => {
    const own = wordsOf(kind.name).slice(-name.length);
    const isCalled = own.length === name.length && own.every((word, i) => areForms(word, name[i] ?? ""));
    if (!isCalled) scores[at] = Number.NaN;
  });
  return bestKinds(table, scores, maxChosen);
}

function areForms(one: string, other: string): boolean {
  const forms = formsOf(one);
  return formsOf(other).some((form) => forms.includes(form));
}

/** The thing that a text begins with, apart from what describes it: undefined for "something to put my shoes on". */
export function namedThing(meaning: WordMeaning, text: string): NamedThing | undefined {
  const words = wordsOf(text);
  const first = words.findIndex((word) => !articles.has(word));
  const run = firstRun(text);
  const isFirst = run.length > 0 && run.every((word, i) => words[first + i] === word);
  const next = words[first + run.length];
  if (!isFirst || !(next === undefined || linkingWords.has(next) || isGiftWord(next))) return undefined;
  const thing = endingsOf(run).find((ending) => meaning.isThing(ending)) ?? run.at(-1) ?? "";
  const named = thing.split(" ");
  const describing = contentWords(text).filter((word) => !named.includes(word) && meaning.isWord(word));
  return { words: named, describing };
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
  const names = endingsOf(firstRun(text)).filter((ending) => meaning.isThing(ending));
  for (const name of names) {
    // The seat of a toilet seat is no chair.
    if (name !== names[0] && meaning.isBareThing(names[0] ?? "")) return undefined;
    // A sleeping bag is not one of the bags of the catalog, but office furniture is furniture.
    if (name !== names[0] && isKindName(table, name)) return undefined;
    const below = bestBelow(table, meaning.meaningsOf(name), scores, maxChosen);
    const [first] = below;
    if (first === undefined || (name !== names[0] && first.score < leastScoreOfShorterName)) continue;
    const used = new Set(name.split(" "));
    const content = contentWords(text);
    return {
      below,
      meantWords: content.filter((word) => used.has(word)),
      otherWords: content.filter((word) => !used.has(word)),
      score: first.score,
    };
  }
  return undefined;
}

/** The kinds below an umbrella word, best first. */
interface KindsBelow {
  readonly below: readonly ScoredKind[];
  readonly meantWords: readonly string[];
  readonly otherWords: readonly string[];
  /** Of the best one. */
  readonly score: number;
}

/** With the kinds that fit the whole text better than any below its umbrella word: a dress is no "garment" in WordNet. */
function withCloser(
  { below, meantWords, otherWords, score }: KindsBelow,
  nearest: readonly ScoredKind[],
): ChosenKinds {
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
    isNamed: false,
    meantWords,
  };
}

/** Whether the catalog has a kind of this name, in singular or plural. */
function isKindName(table: KindTable, name: string): boolean {
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
function firstRun(text: string): readonly string[] {
  const run: string[] = [];
  let former: string | undefined;
  for (const word of wordsOf(text)) {
    const isContent = !functionWords.has(word) && !isGiftWord(word);
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
): Omit<ChosenKinds, "isNamed" | "meantWords"> | undefined {
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
  };
}

/** Words for many sorts of things: sportswear, office equipment. WordNet has few things below most of them. */
const collectiveWords: ReadonlySet<string> = new Set(
  `apparel appliance attire baggage clothes clothing container covering crockery cutlery decor decoration device electronics
  equipment footwear furnishing furniture gadget garment goods instrument lighting luggage ornament outfit peripheral seating
  supplies technology textile tool transport utensil`.split(/\s+/),
);

function isCollective(word: string): boolean {
  return /..(?:wear|ware)$/.test(word) || formsOf(word).some((form) => collectiveWords.has(form));
}

/** A short text that only names something asks for what a catalog has or has not: "wine glasses", not "for wine". */
function formOf(meaning: WordMeaning, text: string): keyof typeof leastScores {
  const words = wordsOf(text);
  const name = articles.has(words[0] ?? "") ? words.slice(1) : words;
  if (name.length > maxWordsOfThing || name.some((word) => functionWords.has(word) || isGiftWord(word)))
    return "description";
  if (isCollective(name.at(-1) ?? "")) return "collective";
  if (name.length > 1 && meaning.isBareThing(name.join(" "))) return "fixedName";
  if (endingsOf(name).some((ending) => meaning.isThing(ending))) return "thing";
  return name.length > 1 ? "names" : "name";
}
