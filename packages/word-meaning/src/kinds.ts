import type { WordMeaning } from "./word-meaning.ts";
import { wordsOf } from "./words.ts";

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

/** The kinds of a catalog with their meanings, in memory that threads can share. */
export interface KindTable {
  readonly kinds: readonly CatalogKind[];
  /** A vector for each kind, one after the other. */
  readonly vectors: Float32Array;
  /** The numbers of the meanings above kind `n` are `above` in `[aboveStarts[n], aboveStarts[n + 1])`. */
  readonly above: Uint32Array;
  readonly aboveStarts: Uint32Array;
}

/** More kinds than this make a search slow. The first ones are kept. */
const maxKinds = 5000;
/** A level has many sorts of things, so it is a little like everything: it must fit better than one kind. */
const levelShare = 0.85;

export function createKindTable(meaning: WordMeaning, kinds: readonly CatalogKind[]): KindTable {
  const kept = kinds.slice(0, maxKinds);
  const { dimensions } = meaning;
  const vectors = new Float32Array(sharedBytes(kept.length * dimensions));
  const levels = new Set(kept.flatMap(({ path }) => path));
  const above = kept.map((kind) => meaning.meaningsAbove(headOf(kind)));
  const aboveStarts = new Uint32Array(sharedBytes(kept.length + 1));
  kept.forEach((kind, at) => {
    const share = levels.has(kind.name) ? levelShare : 1;
    const vector = kindVector(meaning, kind)?.map((value) => value * share);
    if (vector !== undefined) vectors.set(vector, at * dimensions);
    aboveStarts[at + 1] = (aboveStarts[at] ?? 0) + (above[at]?.length ?? 0);
  });
  const meanings = new Uint32Array(sharedBytes(aboveStarts[kept.length] ?? 0));
  meanings.set(above.flat());
  return { kinds: kept, vectors, above: meanings, aboveStarts };
}

function sharedBytes(numbers: number): SharedArrayBuffer {
  return new SharedArrayBuffer(numbers * Uint32Array.BYTES_PER_ELEMENT);
}

/** The last word of a name says what the thing is. */
function headOf({ name }: CatalogKind): string {
  return wordsOf(name).at(-1) ?? "";
}

/**
 * The sum of two meanings: of the name in its category, and of the name with its telling words. The product of this sum
 * with another vector is the sum of both similarities, so that one pass is enough.
 */
function kindVector(
  meaning: WordMeaning,
  { name, category, path, telling }: CatalogKind,
): Float32Array | undefined {
  const named = meaning.vectorOf([...wordsOf(name), ...wordsOf([...path, category].join(" "))]);
  const told = meaning.vectorOf([...wordsOf(name), ...telling]);
  if (named === undefined || told === undefined) return named ?? told;
  return named.map((value, i) => (value + (told[i] ?? 0)) / 2);
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

/** How near each kind is. Plain indexing, no closures: it reads the vectors of all kinds. */
export function scoresOf({ kinds, vectors }: KindTable, vector: Float32Array): Float32Array {
  const dimensions = vector.length;
  const scores = new Float32Array(kinds.length);
  for (let at = 0, place = 0; at < scores.length; at++) {
    let sum = 0;
    for (let i = 0; i < dimensions; i++, place++) sum += (vectors[place] ?? 0) * (vector[i] ?? 0);
    scores[at] = sum;
  }
  return scores;
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
 * The words of each kind that tell it from the others: those with the highest frequency × log(kinds / kinds with the
 * word).
 */
export function tellingWords(
  textsOfKinds: ReadonlyArray<readonly string[]>,
  isTelling: (word: string) => boolean,
  limit = 14,
): readonly (readonly string[])[] {
  const frequencies = textsOfKinds.map((texts) => {
    const counts = new Map<string, number>();
    for (const text of texts)
      for (const word of new Set(wordsOf(text)))
        if (isTelling(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    return counts;
  });
  const kindsWith = new Map<string, number>();
  for (const counts of frequencies)
    for (const word of counts.keys()) kindsWith.set(word, (kindsWith.get(word) ?? 0) + 1);
  const weight = (word: string, count: number) =>
    count * Math.log(frequencies.length / (kindsWith.get(word) ?? 1));
  return frequencies.map((counts) =>
    [...counts]
      .map(([word, count]) => ({ word, weight: weight(word, count) }))
      .filter((one) => one.weight > 0)
      .toSorted((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1))
      .slice(0, limit)
      .map(({ word }) => word),
  );
}
