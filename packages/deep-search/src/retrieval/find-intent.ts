import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { isContradictory } from "@product-search/core/domain/query-understanding/phrase-table.ts";
import type { Relaxable } from "@product-search/core/ports/answer-writer.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { NamedKind } from "@product-search/core/ports/kind-finder.ts";
import type { TextFilters, TextHits, TextQuery, TextSearch } from "@product-search/core/ports/text-search.ts";
import { unlessUsedUp } from "../reading.ts";
import { comparable } from "../understanding/colours.ts";
import { statesMeasure, wordsOfMeasure } from "../understanding/measures.ts";
import { hasColours, wordSetOf } from "../understanding/product-words.ts";
import type { Intent, Sorting } from "../understanding/understanding.ts";
import { materialsFor, placeWords, shadesOf } from "../understanding/word-lists.ts";
import { type Attempt, attemptsFor, isMisleading, type Served } from "./relaxation.ts";

/** From this rating on, a product counts as well rated. */
const goodRating = 4;

const maxWishes = 3;

/** With more hits than this, hits are not checked one by one. */
const maxLookedAt = 200;

/** If this many products have a word in their names, products that only mention it are left out. */
const namedShare = 0.5;

const leastNamed = 3;

export interface FindDeps {
  textSearch: TextSearch;
  catalogStore: Pick<CatalogStore, "findByRowIds">;
}

/** The hits for an intent, and which constraints were relaxed to find them. */
export interface FoundIntent {
  /** The intent after relaxation. */
  intent: Intent;
  relaxed: readonly Relaxable[];
  /** Words that not all products have. */
  droppedWords: readonly string[];
  correctedText?: string;
  hits: TextHits;
  /** Measures that no product data has. */
  unconfirmed?: readonly (readonly string[])[];
  /** The feature that was searched for in place of words of the request. */
  served?: Served;
  /** If the catalog has no such thing: the categories of the products that mention it, or else its other words. */
  near?: readonly string[];
  /** The word that they mention, if it is not the thing. */
  nearFor?: string;
  /** The question had had all its searches before all ways to find the thing were tried. */
  isUnread?: true;
}

/** Number of hits from which ten different ones are chosen. */
const poolSize = 40;
const facets = { names: ["brands", "categories", "stores"], maxValues: 8 } as const;
const maxNear = 3;
const nothing: TextHits = { rowIds: [], total: 0, sourceHas: "nothing", droppedWords: [] };

export async function findIntent(
  deps: FindDeps,
  intent: Intent,
  sorting: Sorting,
  signal: AbortSignal,
  skipped: number,
): Promise<FoundIntent> {
  return unlessUsedUp(() => findByAttempts(deps, intent, sorting, signal, skipped), {
    intent,
    relaxed: [],
    droppedWords: [],
    hits: nothing,
    isUnread: true as const,
  });
}

async function findByAttempts(
  { textSearch, catalogStore }: FindDeps,
  intent: Intent,
  sorting: Sorting,
  signal: AbortSignal,
  skipped: number,
): Promise<FoundIntent> {
  const notFound = { intent, relaxed: [], droppedWords: [], hits: nothing };
  if (intent.absent !== undefined)
    return { ...notFound, ...(await unlessUsedUp(() => categoriesNear(textSearch, intent, signal), {})) };
  if (isContradictory(intent.constraints)) return notFound;
  const { intent: measured, unconfirmed } = await withKnownMeasures(
    { textSearch, catalogStore },
    intent,
    signal,
  );
  const known = await knownWords(textSearch, measured);
  for (const attempt of attemptsFor(measured, (word) => known.has(word))) {
    if (isMisleading(attempt)) continue;
    const search = async (
      change: Partial<Attempt>,
      counted: Pick<TextQuery, "facets"> = {},
    ): Promise<TextHits> => {
      const changed = { ...attempt, ...change };
      const searchSome = (limit: number) =>
        searchOnce(textSearch, changed, { ...sorting, limit, ...counted }, signal);
      const asked = {
        ...changed.intent,
        words: changed.intent.words.filter((word) => attempt.words.includes(word)),
      };
      const some = await searchSome(poolSize + skipped);
      return unlessUsedUp(() => keepExact(some, asked, searchSome, catalogStore), some);
    };
    const hits = await search({}, { facets });
    if (hits.total === 0 || isGuess(attempt, hits)) continue;
    const ordered =
      sorting.sort === "relevance"
        ? await unlessUsedUp(() => orderByWishes(attempt, hits, search, textSearch), hits)
        : hits;
    return foundIntent(attempt, ordered, unconfirmed);
  }
  return notFound;
}

/** A misspelt word counts as known too, because the index corrects it. */
async function knownWords(
  { wordFrequency }: Pick<TextSearch, "wordFrequency">,
  { words, purpose }: Intent,
): Promise<ReadonlySet<string>> {
  const all = [...words, ...purpose];
  const frequencies = await Promise.all(all.map((word) => wordFrequency(word)));
  return new Set(all.filter((_, index) => (frequencies[index] ?? 0) > 0));
}

/** Categories of products that mention the thing, or for an unknown thing where it is used: "kitchen", "school". */
async function categoriesNear(
  textSearch: TextSearch,
  { words, purpose, head, absent }: Intent,
  signal: AbortSignal,
): Promise<Pick<FoundIntent, "near" | "nearFor">> {
  if (absent === "mentioned") return { near: await categoriesWith(textSearch, words.join(" "), signal) };
  const place = [...words, ...purpose].find(
    (word) => word !== head && placeWords.has(comparable(word)) && !anyPlace.has(word),
  );
  if (place === undefined) return {};
  const near = await categoriesWith(textSearch, place, signal);
  // A word of many kinds does not tell what is near: chairs, clocks and lamps for a kitchen knife.
  return near.length > 0 && near.length < maxNear ? { near, nearFor: place } : {};
}

/** These say nothing about a thing. */
const anyPlace = new Set(["home", "house", "living", "room", "flat"]);

async function categoriesWith(textSearch: TextSearch, text: string, signal: AbortSignal): Promise<string[]> {
  const query = { filters: { source: "catalog" }, sort: "relevance", order: "desc", offset: 0 } as const;
  const {
    total,
    facets: counted,
    correctedText,
  } = await textSearch.search(
    { ...query, text, limit: 1, facets: { names: ["categories"], maxValues: maxNear }, everyWord: true },
    signal,
  );
  const categories = total === 0 || correctedText !== undefined ? [] : (counted?.categories ?? []);
  return categories.map(({ value }) => value);
}

function searchOnce(
  textSearch: TextSearch,
  { intent, words }: Attempt,
  page: Sorting & Pick<TextQuery, "limit" | "facets">,
  signal: AbortSignal,
): Promise<TextHits> {
  return textSearch.search(
    { text: words.join(" "), filters: filtersOf(intent), ...page, offset: 0, everyWord: true },
    signal,
  );
}

/** A word was corrected and others are missing: "bestseller books" must not find boots. */
function isGuess({ leftOut }: Attempt, { correctedText }: TextHits): boolean {
  return correctedText !== undefined && leftOut.length > 0;
}

/** Measures are looked for where they stand side by side in texts; the others are set aside, all at once. */
async function withKnownMeasures(
  { textSearch, catalogStore }: FindDeps,
  intent: Intent,
  signal: AbortSignal,
): Promise<{ intent: Intent; unconfirmed: readonly (readonly string[])[] }> {
  const { measures = [], ...rest } = intent;
  if (measures.length === 0) return { intent, unconfirmed: [] };
  const said = new Set(measures.flat());
  const others = (words: readonly string[]): string[] => words.filter((word) => !said.has(word));
  const plain: Intent = {
    ...rest,
    words: others(rest.words),
    features: others(rest.features),
    purpose: others(rest.purpose),
  };
  const confirmed: (readonly string[])[] = [];
  const query = { sort: "relevance", order: "desc", offset: 0, limit: poolSize, everyWord: true } as const;
  const text = rest.head ?? "";
  for (const measure of measures) {
    const filters = filtersOf({ ...plain, measures: [measure] });
    const hits = await unlessUsedUp(() => textSearch.search({ ...query, text, filters }, signal), nothing);
    const products = await catalogStore.findByRowIds(hits.rowIds);
    if (products.some((product) => statesMeasure(textOf(product), measure))) confirmed.push(measure);
  }
  const unconfirmed = measures.filter((measure) => !confirmed.includes(measure));
  return { intent: { ...plain, ...(confirmed.length > 0 && { measures: confirmed }) }, unconfirmed };
}

function textOf({ name, description, attributes = {} }: StoredProduct): string {
  const values = Object.entries(attributes).flatMap(([key, all]) => all.map((value) => `${key} ${value}`));
  return [name, description, ...values].join(" . ");
}

function foundIntent(
  { intent, relaxed, leftOut, served }: Attempt,
  hits: TextHits,
  unconfirmed: FoundIntent["unconfirmed"],
): FoundIntent {
  const { correctedText } = hits;
  return {
    intent,
    relaxed,
    droppedWords: leftOut,
    hits,
    ...(unconfirmed && unconfirmed.length > 0 && { unconfirmed }),
    ...(served !== undefined && { served }),
    ...(correctedText !== undefined && { correctedText }),
  };
}

/**
 * The index finds words in any text. If there are few enough hits to check, some are left out and not counted: those with a
 * colour only in the name of the store ("Blue Door"), and those that only mention the thing ("keep it out of the rain").
 */
async function keepExact(
  hits: TextHits,
  { words, features, kinds = [], measures = [], constraints }: Intent,
  searchAll: (limit: number) => Promise<TextHits>,
  { findByRowIds }: Pick<CatalogStore, "findByRowIds">,
): Promise<TextHits> {
  const { colours = [] } = constraints;
  const nameWords = words.filter((word) => !features.includes(word)).map(comparable);
  const isChecked = colours.length + nameWords.length + kinds.length + measures.length > 0;
  if (hits.total === 0 || hits.total > maxLookedAt || !isChecked) return hits;
  const { rowIds } = hits.total > hits.rowIds.length ? await searchAll(hits.total) : hits;
  const products = await findByRowIds(rowIds);
  const names = products.map(({ name, category = "" }) => wordSetOf(`${name} ${category}`));
  const enough = Math.max(leastNamed, namedShare * names.length);
  const required = nameWords.filter((word) => names.filter((name) => name.has(word)).length >= enough);
  const isOfKind = kindsInNames(kinds, names, enough);
  const kept = products.filter(
    (product, index) =>
      required.every((word) => names[index]?.has(word)) &&
      isOfKind(names[index] ?? new Set()) &&
      hasColours(product, colours) &&
      measures.every((measure) => statesMeasure(textOf(product), measure)),
  );
  return { ...hits, rowIds: kept.map(({ rowId }) => rowId).slice(0, hits.rowIds.length), total: kept.length };
}

/** A bomber jacket to "keep out of the rain" is no rain jacket. */
function kindsInNames(
  kinds: readonly NamedKind[],
  names: readonly ReadonlySet<string>[],
  enough: number,
): (name: ReadonlySet<string>) => boolean {
  const kindWords = kinds.map(({ words, category }) => comparable(words || category).split(" "));
  const isNamed = (name: ReadonlySet<string>): boolean =>
    kindWords.some((words) => words.every((word) => name.has(word)));
  return names.filter(isNamed).length >= enough ? isNamed : () => true;
}

/**
 * Puts products that fulfil most wishes first: those described as a gift or as comfortable, and those that are well rated if
 * the words alone do not identify a product. The set of hits stays the same. Only the best hits are reordered.
 */
async function orderByWishes(
  { intent, words }: Attempt,
  hits: TextHits,
  search: (change: Partial<Attempt>) => Promise<TextHits>,
  { wordFrequency }: Pick<TextSearch, "wordFrequency">,
): Promise<TextHits> {
  const wishes: string[] = [];
  for (const wish of intent.wishes) if ((await wordFrequency(wish)) > 0) wishes.push(wish);
  const { minRating = 0 } = intent.constraints;
  const rated = {
    ...intent,
    constraints: { ...intent.constraints, minRating: Math.max(minRating, goodRating) },
  };
  const isSure = (intent.constraints.categories ?? intent.head) !== undefined;
  const fulfilled = await Promise.all([
    ...wishes.slice(0, maxWishes).map((wish) => search({ words: [...words, wish] })),
    ...(intent.asksForQuality || isSure ? [search({ intent: rated })] : []),
  ]);
  if (fulfilled.length === 0) return hits;
  const counts = new Map<number, number>();
  for (const { rowIds } of fulfilled) for (const id of rowIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  const all = [...new Set([...hits.rowIds, ...fulfilled.flatMap(({ rowIds }) => rowIds)])];
  const rowIds = all.toSorted((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0));
  return { ...hits, rowIds: rowIds.slice(0, hits.rowIds.length) };
}

/** Deep search uses only the service's own catalog. */
export function filtersOf({
  kinds,
  constraints,
  measures = [],
}: Pick<Intent, "kinds" | "constraints" | "measures">): TextFilters {
  const { colours = [], without, ...same } = constraints;
  const withWords = [...colours, ...measures.flatMap(wordsOfMeasure)];
  return {
    source: "catalog",
    ...same,
    ...(kinds !== undefined && { kinds: kinds.map(({ category, words }) => ({ category, words })) }),
    ...(withWords.length > 0 && { withWords }),
    ...(without !== undefined && { withoutWords: withShades(without) }),
  };
}

function withShades(words: readonly string[]): string[] {
  return [
    ...new Set(
      words.flatMap((word) => [word, ...(shadesOf.get(word) ?? []), ...(materialsFor.get(word) ?? [])]),
    ),
  ];
}
