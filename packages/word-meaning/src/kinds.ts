import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dimensions } from "./encoder/encoder.ts";
import type { WordMeaning } from "./word-meaning.ts";
import { contentWords, isGiftWord, wordsOf } from "./words.ts";

/** A kind of product in a catalog, as its texts describe it. */
export interface CatalogKind {
  /** "Desk Lamp", or the name of a category. */
  readonly name: string;
  /** The category in which products of this name are. The same as the name for a category itself. */
  readonly category: string;
  /** Names of the levels above the category, top first. Empty if the catalog has no paths. */
  readonly path: readonly string[];
  /** The words that tell this kind from the others, most telling first. */
  readonly telling: readonly string[];
}

/** Vectors one after the other, and for each the text that it was made from, as a hash. */
export interface KindVectors {
  readonly keys: readonly string[];
  readonly vectors: Float32Array;
}

/** The kinds of a catalog with their meanings, in memory that threads can share. */
export interface KindTable extends KindVectors {
  readonly kinds: readonly CatalogKind[];
  /** Vectors follow those of the kinds: of needs, where need `n` is met by the kinds `met` in `[metStarts[n], metStarts[n + 1])`. */
  readonly met: Uint32Array;
  readonly metStarts: Uint32Array;
  /** Needs in other languages than the encoder's, by their words. */
  readonly foreignNeeds: readonly ForeignNeed[];
  /** The numbers of the meanings above kind `n` are `above` in `[aboveStarts[n], aboveStarts[n + 1])`. */
  readonly above: Uint32Array;
  readonly aboveStarts: Uint32Array;
}

/** More kinds than this make a search slow. The first ones are kept. */
const maxKinds = 5000;

/** Texts whose vectors are among the former ones are not encoded again. `pause` is called after each that is. */
export async function createKindTable(
  meaning: WordMeaning,
  kinds: readonly CatalogKind[],
  former: KindVectors = { keys: [], vectors: new Float32Array() },
  pause: () => Promise<void> = async () => {},
): Promise<KindTable> {
  const kept = kinds.slice(0, maxKinds);
  const needs = needsMetBy(kept);
  const texts = [...kept.map((kind) => textsOf(meaning, kind)), ...needs.encoded.map(({ text }) => [text])];
  const vectors = new Float32Array(sharedBytes(texts.length * dimensions));
  const places = new Map(former.keys.map((key, at) => [key, at]));
  const keys: string[] = [];
  for (const [at, own] of texts.entries()) {
    const key = hash("sha1", [meaning.id, ...own].join("\n"), "base64");
    const place = places.get(key);
    if (place === undefined) {
      vectors.set(meanVector(meaning, own), at * dimensions);
      await pause();
    } else
      vectors.set(former.vectors.subarray(place * dimensions, (place + 1) * dimensions), at * dimensions);
    keys.push(key);
  }
  const above = packLists(kept.map((kind) => meaning.meaningsAbove(headOf(kind))));
  const met = packLists(needs.encoded.map(({ kinds: meeting }) => meeting));
  return {
    kinds: kept,
    keys,
    vectors,
    met: met.members,
    metStarts: met.starts,
    foreignNeeds: needs.foreign,
    above: above.members,
    aboveStarts: above.starts,
  };
}

/** The members of all lists, and where those of each begin. */
function packLists(lists: ReadonlyArray<readonly number[]>): { members: Uint32Array; starts: Uint32Array } {
  const starts = new Uint32Array(sharedBytes(lists.length + 1));
  lists.forEach(({ length }, at) => {
    starts[at + 1] = (starts[at] ?? 0) + length;
  });
  const members = new Uint32Array(sharedBytes(starts[lists.length] ?? 0));
  members.set(lists.flat());
  return { members, starts };
}

function sharedBytes(numbers: number): SharedArrayBuffer {
  return new SharedArrayBuffer(numbers * Uint32Array.BYTES_PER_ELEMENT);
}

/** The last word of a name says what the thing is. */
function headOf({ name }: CatalogKind): string {
  return wordsOf(name).at(-1) ?? "";
}

/** The name in its category, and the name with its telling words. None for a name in no language of the encoder. */
function textsOf(meaning: WordMeaning, { name, category, telling }: CatalogKind): readonly string[] {
  if (!wordsOf(name).some((word) => meaning.isWord(word))) return [];
  const named = name === category ? name : `${name}, ${category}`;
  return [named, `${name}. ${telling.join(" ")}`];
}

/** The product of this sum with another vector is the mean of the similarities, so that one pass is enough. */
function meanVector(meaning: WordMeaning, texts: readonly string[]): Float32Array {
  const sum = new Float32Array(dimensions);
  for (const text of texts)
    meaning.vectorOf(text).forEach((value, i) => {
      sum[i] = (sum[i] ?? 0) + value / texts.length;
    });
  return sum;
}

export interface ScoredKind {
  readonly kind: CatalogKind;
  /** Between −1 and 1. */
  readonly score: number;
}

/** The best kinds of all with scores below one of these meanings: those of "furniture". */
export function bestBelow(
  table: KindTable,
  umbrella: ArrayLike<number>,
  scoresOfAll: Float32Array,
  limit: number,
): readonly ScoredKind[] {
  const scores = scoresOfAll.slice();
  const { above, aboveStarts } = table;
  for (let at = 0; at < scores.length; at++)
    if (!hasAny(above, aboveStarts[at] ?? 0, aboveStarts[at + 1] ?? 0, umbrella)) scores[at] = Number.NaN;
  return bestKinds(table, scores, limit);
}

function hasAny(numbers: Uint32Array, start: number, end: number, values: ArrayLike<number>): boolean {
  for (let at = start; at < end; at++)
    for (let i = 0; i < values.length; i++) if (numbers[at] === values[i]) return true;
  return false;
}

/** A need must be nearly the same. */
const leastScoreOfNeed = 0.8;
/** What any two texts have in common: only what is above it says that they are alike. */
const commonSimilarity = 0.5;

/** How near each kind is to a text: of a gift, to what it says beside that. Undefined if it has no word. */
export function scoresOfText(meaning: WordMeaning, table: KindTable, text: string): Float32Array | undefined {
  if (!contentWords(text).some((word) => meaning.isWord(word))) return undefined;
  const asked = text.split(/\s+/).filter((word) => !wordsOf(word).some(isGiftWord));
  const scores = scoresOf(table, meaning.vectorOf(asked.join(" ")));
  for (const kind of kindsForForeign(table.foreignNeeds, text)) scores[kind] = 1;
  return scores;
}

/** Of every kind, if the text says a need that none of them meets. Less than any other score is. */
export const scoreOfUnmet = -1;

/** How near each kind is, or the need that it meets. Plain indexing, no closures: it reads all vectors. */
function scoresOf({ kinds, vectors, met, metStarts }: KindTable, vector: Float32Array): Float32Array {
  const scores = new Float32Array(kinds.length);
  const rows = kinds.length + metStarts.length - 1;
  let best = -1;
  let unmet = -1;
  for (let row = 0, place = 0; row < rows; row++) {
    let sum = 0;
    for (let i = 0; i < dimensions; i++, place++) sum += (vectors[place] ?? 0) * (vector[i] ?? 0);
    const score = (sum - commonSimilarity) / (1 - commonSimilarity);
    const need = row - kinds.length;
    if (need >= 0 && score < leastScoreOfNeed) continue;
    const [start, end] = need < 0 ? [0, 0] : [metStarts[need] ?? 0, metStarts[need + 1] ?? 0];
    if (need < 0) scores[row] = score;
    for (let at = start; at < end; at++) scores[met[at] ?? 0] = Math.max(scores[met[at] ?? 0] ?? 0, score);
    if (need >= 0 && start === end) unmet = Math.max(unmet, score);
    else best = Math.max(best, score);
  }
  // What meets the need is known, and the catalog lacks it.
  return unmet > best ? scores.fill(scoreOfUnmet) : scores;
}

/** Kinds whose score is not a number are left out. The best ones are kept in order, so that not all are sorted. */
export function bestKinds({ kinds }: KindTable, scores: Float32Array, limit: number): ScoredKind[] {
  const places: number[] = [];
  const scoreAt = (rank: number) => scores[places[rank] ?? -1] ?? Number.NEGATIVE_INFINITY;
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at] ?? Number.NaN;
    if (Number.isNaN(score) || (places.length === limit && score <= scoreAt(limit - 1))) continue;
    let rank = places.length;
    while (rank > 0 && scoreAt(rank - 1) < score) rank--;
    places.splice(rank, 0, at);
    if (places.length > limit) places.pop();
  }
  return places.flatMap((at) => {
    const kind = kinds[at];
    return kind === undefined ? [] : [{ kind, score: scores[at] ?? 0 }];
  });
}

/**
 * The words of each kind that tell it from the others: those that much of its texts have, and little of others'. A word of
 * every kind tells nothing.
 */
export function tellingWords(
  textsOfKinds: ReadonlyArray<readonly string[]>,
  isTelling: (word: string) => boolean,
  limit = 10,
): readonly (readonly string[])[] {
  const shares = textsOfKinds.map((texts) => {
    const own = new Map<string, number>();
    for (const text of texts)
      for (const word of new Set(wordsOf(text)))
        if (isTelling(word)) own.set(word, (own.get(word) ?? 0) + 1 / texts.length);
    return own;
  });
  const totals = new Map<string, number>();
  for (const own of shares)
    for (const [word, share] of own) totals.set(word, (totals.get(word) ?? 0) + share);
  const weigh = (word: string, share: number) => share ** 1.6 / (totals.get(word) ?? 1);
  return shares.map((own) =>
    [...own]
      .map(([word, share]) => ({ word, weight: weigh(word, share) }))
      .toSorted((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1))
      .slice(0, limit)
      .map(({ word }) => word),
  );
}

/** A need by its words, in another language than the encoder's. */
interface ForeignNeed {
  /** The beginnings of words that a text must have. */
  readonly stems: readonly string[];
  /** The numbers of the kinds that meet it. */
  readonly kinds: readonly number[];
}

interface NeedsMet {
  /** Those that no kind meets as well: who has such a need finds nothing. */
  readonly encoded: ReadonlyArray<{ readonly text: string; readonly kinds: readonly number[] }>;
  readonly foreign: readonly ForeignNeed[];
}

/** What is read of a kind of product. */
interface NamedKind {
  readonly name: string;
}

/** The most frequent kinds of a name are enough. */
const maxKindsOfNeed = 12;

/**
 * The needs of everyday life that kinds of a catalog meet, by the table `needs.txt`: no small model knows that an auger helps against
 * a blocked sink. Each of its lines has things and needs, in English, German, French and Spanish.
 */
function needsMetBy(kinds: readonly NamedKind[]): NeedsMet {
  const file = createRequire(import.meta.url).resolve("@product-search/word-meaning/needs.txt");
  const kindsOf = kindsByName(kinds);
  const encoded = new Map<string, Set<number>>();
  const foreign: ForeignNeed[] = [];
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const columns = line.split(" | ");
    const things = columns.filter((_, at) => at % 2 === 0).flatMap((names) => names.split(", "));
    const meeting = [...new Set(things.flatMap(kindsOf))].slice(0, maxKindsOfNeed);
    const [english = [], ...others] = columns
      .filter((_, at) => at % 2 === 1)
      .map((needs) => needs.split("; "));
    for (const text of english) encoded.set(text, new Set([...(encoded.get(text) ?? []), ...meeting]));
    if (meeting.length === 0) continue;
    foreign.push(...others.flat().map((need) => ({ stems: wordsOf(need).map(stemOf), kinds: meeting })));
  }
  return { encoded: [...encoded].map(([text, meeting]) => ({ text, kinds: [...meeting] })), foreign };
}

/** The kinds whose name ends with the name of a thing: a desk lamp is a lamp. */
function kindsByName(kinds: readonly NamedKind[]): (thing: string) => readonly number[] {
  const endings = new Map<string, number[]>();
  kinds.forEach(({ name }, at) => {
    const words = wordsOf(name).map(stemOf);
    for (let from = 0; from < words.length; from++) {
      const ending = words.slice(from).join(" ");
      endings.set(ending, [...(endings.get(ending) ?? []), at]);
    }
  });
  return (thing) => endings.get(wordsOf(thing).map(stemOf).join(" ")) ?? [];
}

/** What the forms of a word have in common, in all four languages. */
function stemOf(word: string): string {
  return word.replace(/(?<=...)s$/, "").replace(/(?<=...)(?:en|er|[aeon])$/, "");
}

/** The kinds that meet a need which a text in another language names. */
function kindsForForeign(needs: readonly ForeignNeed[], text: string): readonly number[] {
  const words = wordsOf(text);
  const isIn = (stem: string) => words.some((word) => word.startsWith(stem));
  return needs.find(({ stems }) => stems.every(isIn))?.kinds ?? [];
}
