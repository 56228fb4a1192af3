import type { TextHits, TextQuery, TextSearch } from "@product-search/core/ports/text-search.ts";

/** So much of one question is read and searched for: the work for a question must stay bounded. */
export const readingLimits = { things: 8, words: 32, searches: 40 } as const;

/** How many searches may have been made at the end of each stage, so that earlier stages leave some to later ones. */
const searchesUntil = { history: 14, question: 26, retrieval: readingLimits.searches } as const;
export type ReadingStage = keyof typeof searchesUntil;

/** What was not read of a question, or not searched for. */
export interface LeftOut {
  /** The word from which on nothing was read. */
  from?: string;
  /** The words of things that were not searched for. */
  things: (readonly string[])[];
}

/** How far one question has been read. */
export interface Reading {
  readonly leftOut: LeftOut;
  /** The number of searches so far. */
  readonly searches: number;
  enter(stage: ReadingStage): void;
  /** Counts a search. Fails if this stage has had all its searches. */
  countSearch(): void;
}

/** The question needs more searches than are made for one. */
export class SearchesUsedUpError extends Error {
  override readonly name = "SearchesUsedUpError";
}

export function createReading(): Reading {
  let searches = 0;
  let stage: ReadingStage = "history";
  return {
    leftOut: { things: [] },
    get searches() {
      return searches;
    },
    enter(next) {
      stage = next;
    },
    countSearch() {
      if (searches >= searchesUntil[stage]) throw new SearchesUsedUpError(`No search is left for ${stage}.`);
      searches += 1;
    },
  };
}

/** The result of the work, or the other value if it needs more searches than are left. */
export async function unlessUsedUp<Result, Other>(
  work: () => Promise<Result>,
  other: Other,
): Promise<Result | Other> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SearchesUsedUpError) return other;
    throw error;
  }
}

/** The same work for the same text is done once. */
function once<Result>(work: (text: string) => Promise<Result>): (text: string) => Promise<Result> {
  const results = new Map<string, Promise<Result>>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = work(text);
    results.set(text, result);
    return result;
  };
}

/** A text search for one question: its searches are counted, and repeated ones are made once. */
export function searchForReading(textSearch: TextSearch, reading: Reading): TextSearch {
  const hits = new Map<string, Promise<TextHits>>();
  const search = (query: TextQuery, signal: AbortSignal): Promise<TextHits> => {
    const key = JSON.stringify(query);
    const known = hits.get(key);
    if (known !== undefined) return known;
    reading.countSearch();
    const found = textSearch.search(query, signal);
    hits.set(key, found);
    return found;
  };
  return {
    ...textSearch,
    search: async (query, signal) => {
      signal.throwIfAborted();
      return search(query, signal);
    },
    brandsNamedIn: once((text) => textSearch.brandsNamedIn(text)),
    categoriesNamedIn: once((text) => textSearch.categoriesNamedIn(text)),
    storesNamedIn: once((text) => textSearch.storesNamedIn(text)),
    attributesNamedIn: once((text) => textSearch.attributesNamedIn(text)),
    wordFrequency: once((word) => textSearch.wordFrequency(word)),
  };
}
