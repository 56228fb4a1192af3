import {
  type FacetRequest,
  type Facets,
  type FacetValue,
  type Language,
  openIndex,
  type SearchQuery,
  type Snapshot,
  type TextIndex,
} from "@product-search/text-index";
import { ApiError } from "../../errors.ts";
import { type Clock, systemClock } from "../../ports/clock.ts";
import type { SynonymStore } from "../../ports/synonym-store.ts";
import type { FacetCount, TextFacets, TextHits, TextQuery, TextSearch } from "../../ports/text-search.ts";
import { followSynonyms } from "./follow-synonyms.ts";
import { serviceLanguage } from "./service-language.ts";
import { createSnapshotWeight } from "./snapshot-weight.ts";
import { availabilityCode, sourceCode } from "./to-index-document.ts";

export interface EmbeddedTextSearchSettings {
  /** Called once; hands over the newest snapshot of the index, and every later one. */
  readonly subscribe: (receive: (snapshot: Snapshot) => void) => void;
  /** Default: English with its dictionary. */
  readonly language?: Language;
  /** What an operator changed of the synonyms. Default: those that are shipped stay as they are. */
  readonly synonyms?: Pick<SynonymStore, "version" | "edits">;
  readonly clock?: Clock;
}

/** Searches on this thread what the index thread publishes: all threads share one copy, and nothing is asked across. */
export function createEmbeddedTextSearch({
  subscribe,
  language: shipped = serviceLanguage,
  synonyms,
  clock = systemClock,
}: EmbeddedTextSearchSettings): TextSearch {
  let language = shipped;
  let newest: Snapshot | undefined;
  let current: TextIndex | undefined;
  const weigh = createSnapshotWeight();
  subscribe((snapshot) => {
    weigh(snapshot);
    newest = snapshot;
    current = openIndex(snapshot, current, language);
  });
  const changedSynonyms = synonyms === undefined ? undefined : followSynonyms(synonyms, () => clock.now());
  const readChanges = async () => {
    const changed = await changedSynonyms?.();
    if (changed === undefined) return;
    language = { ...language, synonyms: changed };
    // The same snapshot and its caches, with another language: nothing is copied or built.
    if (newest !== undefined) current = openIndex(newest, current, language);
  };
  const index = (): TextIndex => {
    if (current !== undefined) return current;
    throw new ApiError("unavailable", "The search index is not ready yet; try again in a moment.", {
      retryAfterSeconds: 2,
    });
  };
  const names = (found: ReadonlyArray<{ name: string }>) => found.map(({ name }) => name);
  return {
    search: async (query, signal) => {
      signal.throwIfAborted();
      await readChanges();
      return search(index(), query);
    },
    findBrands: async (text, limit) => names(index().vocabulary.findBrands(text, limit)),
    brandsNamedIn: async (text) => names(index().vocabulary.brandsNamedIn(text)),
    categoriesNamedIn: async (text) => names(index().vocabulary.categoriesNamedIn(text)),
    storesNamedIn: async (text) => names(index().vocabulary.storesNamedIn(text)),
    wordFrequency: async (word) => index().vocabulary.frequency(word),
  };
}

function search(index: TextIndex, query: TextQuery): TextHits {
  const found = index.search(toSearchQuery(query));
  const { ids, total, totalWithEveryWord, words, correctedText, absentThing, facets, relatedIds } = found;
  // Where some hits have all the words, the further ones with fewer do not mean that a word was given up.
  const given = totalWithEveryWord > 0 ? ["unknown"] : ["unknown", "dropped"];
  const dropped = query.everyWord === true ? [] : words.filter(({ as }) => given.includes(as));
  return {
    rowIds: ids,
    total,
    droppedWords: dropped.map(({ word }) => word),
    ...(correctedText !== undefined && { correctedText }),
    ...(absentThing !== undefined && { absentThing }),
    ...(query.facetLimit !== undefined && { facets: toTextFacets(facets) }),
    ...(query.relatedLimit !== undefined && { relatedRowIds: relatedIds }),
  };
}

function toSearchQuery({
  text,
  filters,
  sort,
  order,
  offset,
  limit,
  everyWord,
  ...query
}: TextQuery): SearchQuery {
  return {
    text,
    filters: {
      source: filters.source && sourceCode(filters.source),
      minPriceMinor: filters.minPriceMinor,
      maxPriceMinor: filters.maxPriceMinor,
      availability: filters.availability?.map(availabilityCode),
      brands: filters.brands,
      categories: filters.categories,
      stores: filters.stores,
      minRating: filters.minRating,
      minDiscount: filters.minDiscount,
      require: filters.withWords,
      exclude: filters.withoutWords,
    },
    everyWord,
    sort,
    order,
    offset,
    limit,
    facets: toFacetRequest(query),
    related: query.relatedLimit,
  };
}

function toFacetRequest({
  facetLimit,
  facets = ["brands", "categories", "stores"],
  facetsIgnoreOwnFilter,
}: Pick<TextQuery, "facetLimit" | "facets" | "facetsIgnoreOwnFilter">): FacetRequest | undefined {
  return facetLimit === undefined
    ? undefined
    : { of: facets, limit: facetLimit, ignoreOwnFilter: facetsIgnoreOwnFilter };
}

function toTextFacets({ brands, categories, stores, price, rating }: Facets): TextFacets {
  return {
    brands: toCounts(brands),
    categories: toCounts(categories),
    stores: toCounts(stores),
    price: price.map(({ from, to, documents }) => ({
      minPriceMinor: from,
      maxPriceMinor: to,
      count: documents,
    })),
    rating: rating.map(({ from, documents }) => ({ minRating: from, count: documents })),
  };
}

function toCounts(values: readonly FacetValue[]): FacetCount[] {
  return values.map(({ name, documents }) => ({ value: name, count: documents }));
}
