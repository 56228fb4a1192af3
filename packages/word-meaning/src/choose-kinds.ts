import { type CatalogKind, type KindTable, nearestBelow, nearestKinds, type ScoredKind } from "./kinds.ts";
import type { WordMeaning } from "./word-meaning.ts";
import { formsOf, functionWords, giftWords, wordsOf } from "./words.ts";

/**
 * Measured on queries of which half were held back. The name of a thing needs a far better match than a description, and a
 * fixed name of several words ("sleeping bag") nearly the same words.
 */
const leastScores = { description: 0.36, thing: 0.6, fixedName: 0.85 } as const;
/** Kinds this close to the best one are chosen as well. */
const within = 0.04;
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
  const nearest = nearestKinds(table, vector, maxChosen);
  const below = kindsBelow(meaning, table, text, vector);
  if (below === undefined) return kindsLike(nearest, leastScores[formOf(meaning, text)]);
  const isCloser = (nearest[0]?.score ?? 0) > below.score + clearlyCloser;
  return isCloser ? kindsLike(nearest, leastScores.description) : below;
}

/** The kinds of which the text names the umbrella word, and the best score: "black furniture for the office". */
function kindsBelow(
  meaning: WordMeaning,
  table: KindTable,
  text: string,
  vector: Float32Array,
): (ChosenKinds & { readonly score: number }) | undefined {
  const names = endingsOf(namedThing(text)).filter((ending) => meaning.isThing(ending));
  for (const name of names) {
    // A sleeping bag is not one of the bags of the catalog, but office furniture is furniture.
    if (name !== names[0] && table.kinds.some((kind) => isNamedLike(kind, name))) return undefined;
    const below = nearestBelow(table, meaning.meaningsOf(name), vector, maxChosen);
    const [first] = below;
    if (first === undefined || (name !== names[0] && first.score < leastScoreOfShorterName)) continue;
    const used = new Set(name.split(" "));
    return {
      kinds: below.map(({ kind }) => kind),
      closest: below.filter(({ score }) => score >= first.score - withinUmbrella).map(({ kind }) => kind),
      otherWords: contentWords(text).filter((word) => !used.has(word)),
      isUmbrella: true,
      score: first.score,
    };
  }
  return undefined;
}

/** Whether a kind has the name, in singular or plural. */
function isNamedLike({ name }: CatalogKind, other: string): boolean {
  const head = wordsOf(name).at(-1) ?? "";
  return formsOf(head).includes(other) || formsOf(other).includes(head);
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

function kindsLike(nearest: readonly ScoredKind[], leastScore: number): ChosenKinds | undefined {
  const best = nearest[0]?.score ?? 0;
  if (best < leastScore) return undefined;
  const kinds = nearest.filter(({ score }) => score >= best - within).map(({ kind }) => kind);
  return { kinds, closest: kinds, otherWords: [], isUmbrella: false };
}

/** A text that only names one sort of things asks for what a catalog has or has not: "wine glasses", not "for wine". */
function formOf(meaning: WordMeaning, text: string): keyof typeof leastScores {
  const words = wordsOf(text);
  const name = articles.has(words[0] ?? "") ? words.slice(1) : words;
  if (name.length > maxWordsOfThing || name.some((word) => functionWords.has(word) || giftWords.has(word)))
    return "description";
  if (name.length > 1 && meaning.isBareThing(name.join(" "))) return "fixedName";
  return endingsOf(name).some((ending) => meaning.isThing(ending)) ? "thing" : "description";
}
