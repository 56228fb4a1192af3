import { isContradictory } from "@product-search/core/domain/query-understanding/constraints.ts";
import type { Relaxable } from "@product-search/core/ports/answer-writer.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { TextHits, TextSearch } from "@product-search/core/ports/text-search.ts";
import { unlessUsedUp } from "../reading.ts";
import { comparable } from "../understanding/same-word.ts";
import type { Intent, Sorting } from "../understanding/understanding.ts";
import { placeWords } from "../understanding/word-lists.ts";
import { filtersOf } from "./intent-filters.ts";
import { keepExact } from "./keep-exact.ts";
import { orderByWishes } from "./order-by-wishes.ts";
import { type Attempt, attemptsFor, isMisleading, type Served } from "./relaxation.ts";

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
const facetLimit = 8;
const maxNear = 3;
const nothing: TextHits = { rowIds: [], total: 0, droppedWords: [] };

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
  const known = await knownWords(textSearch, intent);
  for (const attempt of attemptsFor(intent, (word) => known.has(word))) {
    if (isMisleading(attempt)) continue;
    const search = async (change: Partial<Attempt>): Promise<TextHits> => {
      const changed = { ...attempt, ...change };
      const searchSome = (limit: number) => searchOnce(textSearch, changed, sorting, limit, signal);
      const asked = {
        ...changed.intent,
        words: changed.intent.words.filter((word) => attempt.words.includes(word)),
      };
      const some = await searchSome(poolSize + skipped);
      return unlessUsedUp(() => keepExact(some, asked, searchSome, catalogStore), some);
    };
    const hits = await search({});
    if (hits.total === 0 || isGuess(attempt, hits)) continue;
    const ordered =
      sorting.sort === "relevance"
        ? await unlessUsedUp(() => orderByWishes(attempt, hits, search, textSearch), hits)
        : hits;
    return foundIntent(attempt, ordered);
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
  return near.length < maxNear ? { near, nearFor: place } : {};
}

/** These say nothing about a thing. */
const anyPlace = new Set(["home", "house", "living", "room", "flat"]);

async function categoriesWith(textSearch: TextSearch, text: string, signal: AbortSignal): Promise<string[]> {
  const query = { filters: { source: "catalog" }, sort: "relevance", order: "desc", offset: 0 } as const;
  const { total, facets, correctedText } = await textSearch.search(
    { ...query, text, limit: 1, facetLimit: maxNear, everyWord: true },
    signal,
  );
  const categories = total === 0 || correctedText !== undefined ? [] : (facets?.categories ?? []);
  return categories.map(({ value }) => value);
}

function searchOnce(
  textSearch: TextSearch,
  { intent, words }: Attempt,
  sorting: Sorting,
  limit: number,
  signal: AbortSignal,
): Promise<TextHits> {
  return textSearch.search(
    {
      text: words.join(" "),
      filters: filtersOf(intent),
      ...sorting,
      offset: 0,
      limit,
      facetLimit,
      everyWord: true,
    },
    signal,
  );
}

/** A word was corrected and others are missing: "bestseller books" must not find boots. */
function isGuess({ leftOut }: Attempt, { correctedText }: TextHits): boolean {
  return correctedText !== undefined && leftOut.length > 0;
}

function foundIntent({ intent, relaxed, leftOut, served }: Attempt, hits: TextHits): FoundIntent {
  const { correctedText } = hits;
  return {
    intent,
    relaxed,
    droppedWords: leftOut,
    hits,
    ...(served !== undefined && { served }),
    ...(correctedText !== undefined && { correctedText }),
  };
}
