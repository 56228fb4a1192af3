import { giveWay, presentPayer } from "@product-search/core/mechanisms/fair-queue.ts";
import type { SuggestionQuery, TextSearch, TextSuggestions } from "@product-search/core/ports/text-search.ts";
import { OutOfTimeError, type TextIndex, withinTime } from "@product-search/text-index";
import { createNewestIndex, type NewestIndexSettings, namesOf } from "./newest-index.ts";
import { lastAvailability, sourceCode, toSearchQuery, toTextHits } from "./to-index.ts";

/** What may take long. */
export type LongSearch = Pick<TextSearch, "search" | "suggest" | "findBrands">;

export interface SearchLimit {
  /** Of processor time, in an index of so many documents, for a caller with this share of what all have used lately. */
  milliseconds(documents: number, share: number): number;
  readonly beyond: LongSearch;
  /** The first search has so much more, the second half of it, the third a third: code that has hardly run is slow. Default: 0. */
  readonly warmUpMs?: number;
}

export interface EmbeddedSettings extends NewestIndexSettings {
  /** What takes longer on this thread is given up and begun again with `beyond`. Default: everything is finished here. */
  readonly limit?: SearchLimit | undefined;
}

/**
 * Searches the published index on this thread: all threads share one copy, so most searches need no other thread. Before each
 * search, requests of others may have their turn.
 */
export function createEmbeddedTextSearch({ limit, ...settings }: EmbeddedSettings): TextSearch {
  const index = createNewestIndex(settings);
  const names = namesOf(index);
  let searches = 0;
  const inTime = async <Result>(
    work: () => Result | Promise<Result>,
    again: (beyond: LongSearch) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> => {
    if (limit === undefined) return inTurn(work, signal);
    searches += 1;
    const share = presentPayer()?.share ?? 0;
    const milliseconds = limit.milliseconds(index().documents, share) + (limit.warmUpMs ?? 0) / searches;
    try {
      return await inTurn(() => withinTime(milliseconds, work), signal);
    } catch (error) {
      if (error instanceof OutOfTimeError) return again(limit.beyond);
      throw error;
    }
  };
  return {
    search: (query, signal) =>
      inTime(
        () => toTextHits(query, index().search(toSearchQuery(query))),
        (beyond) => beyond.search(query, signal),
        signal,
      ),
    suggest: (query, signal) =>
      inTime(
        () => suggest(index(), query),
        (beyond) => beyond.suggest(query, signal),
        signal,
      ),
    findBrands: (text, most) =>
      inTime(
        () => names.findBrands(text, most),
        (beyond) => beyond.findBrands(text, most),
      ),
    brandsNamedIn: (text) => inTurn(() => names.brandsNamedIn(text)),
    categoriesNamedIn: (text) => inTurn(() => names.categoriesNamedIn(text)),
    storesNamedIn: (text) => inTurn(() => names.storesNamedIn(text)),
    attributesNamedIn: (text) => inTurn(() => names.attributesNamedIn(text)),
    numberUnit: (attribute, source) => inTurn(() => names.numberUnit(attribute, source)),
    hasUnit: (unit, source) => inTurn(() => names.hasUnit(unit, source)),
    wordFrequency: (word) => inTurn(() => index().vocabulary.frequency(word)),
  };
}

async function inTurn<Result>(work: () => Result | Promise<Result>, signal?: AbortSignal): Promise<Result> {
  signal?.throwIfAborted();
  const turn = giveWay();
  if (turn !== undefined) await turn;
  return work();
}

function suggest(
  index: TextIndex,
  { text, source, queryLimit, nameLimit, productLimit, outOfStockLast = false }: SuggestionQuery,
): TextSuggestions {
  const {
    queries,
    brands,
    categories,
    rowIds: ids,
  } = index.suggest({
    text,
    source: sourceCode(source),
    queryLimit,
    nameLimit,
    productLimit,
    lastAvailability: lastAvailability(outOfStockLast),
  });
  return { queries: [...queries], brands: [...brands], categories: [...categories], rowIds: [...ids] };
}
