import { BoundedCache } from "../bounded-cache.ts";
import type { SearchQuery, SearchResult } from "../search/search-query.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import { QueryCompletion } from "./complete-query.ts";
import { NameBeginnings } from "./name-beginnings.ts";
import { phrasesOf, type SegmentPhrases } from "./segment-phrases.ts";
import { readTyped } from "./typed-text.ts";

export interface SuggestQuery {
  /** The text typed so far. */
  readonly text: string;
  /** The source of all suggestions. Default: any. */
  readonly source?: number | undefined;
  /** Maximum number of queries, of brands and of categories each, and of documents. */
  readonly queries: number;
  readonly names: number;
  readonly documents: number;
}

export interface Suggestions {
  /** Completed queries, most likely first. Each finds a document with all its words. */
  readonly queries: readonly string[];
  readonly brands: readonly string[];
  readonly categories: readonly string[];
  /** The best documents with the words of the first completed query, or of the text itself if there is no query. */
  readonly ids: readonly number[];
}

const cachedTexts = 2_000;

/** What suggestions need of the index. */
export interface Searching {
  search(query: SearchQuery): SearchResult;
  /** Whether a search for the text finds the documents of the source that have all its words. */
  findsAll(text: string, source: number | undefined): boolean;
}

/** Makes suggestions for one snapshot, and caches what it computes. */
export class Suggester {
  readonly #readers: readonly SegmentReader[];
  readonly #termOf: (word: string) => string;
  readonly #searching: Searching;
  readonly #bySource = new Map<number | undefined, SourceNames>();
  readonly #cache = new BoundedCache<string, Suggestions>(cachedTexts);

  constructor(readers: readonly SegmentReader[], termOf: (word: string) => string, searching: Searching) {
    this.#readers = readers;
    this.#termOf = termOf;
    this.#searching = searching;
  }

  suggest(query: SuggestQuery): Suggestions {
    return this.#cache.get(JSON.stringify(query), () => this.#workOut(query));
  }

  #workOut({ text, source, queries: most, names, documents }: SuggestQuery): Suggestions {
    const known = this.#namesOf(source);
    const typed = readTyped(text);
    const completed =
      typed === undefined
        ? []
        : new QueryCompletion(this.#readers, known.phrases, source, most, this.#termOf).complete(typed);
    // Documents have all the words, but a search may find that the catalog lacks the thing: "lamp floor".
    const queries = completed.filter((query) => this.#searching.findsAll(query, source));
    return {
      queries,
      brands: known.brands.find(text, names),
      categories: known.categories.find(text, names),
      ids: text.trim() === "" || documents === 0 ? [] : this.#documents(queries[0], text, source, documents),
    };
  }

  /** Synonyms are used only if the words as written find nothing: uniting their lists takes too long while users type. */
  #documents(
    query: string | undefined,
    text: string,
    source: number | undefined,
    limit: number,
  ): readonly number[] {
    const everyWord = query !== undefined;
    const search = { text: query ?? text, filters: { source }, everyWord, offset: 0, limit };
    const { ids } = this.#searching.search({ ...search, asWritten: true });
    return ids.length > 0 ? ids : this.#searching.search(search).ids;
  }

  #namesOf(source: number | undefined): SourceNames {
    const known = this.#bySource.get(source) ?? {
      phrases: this.#readers.map(({ segment }) => phrasesOf(segment, source)),
      brands: new NameBeginnings(this.#readers, "brands", source),
      categories: new NameBeginnings(this.#readers, "categories", source),
    };
    this.#bySource.set(source, known);
    return known;
  }
}

interface SourceNames {
  readonly phrases: readonly SegmentPhrases[];
  readonly brands: NameBeginnings;
  readonly categories: NameBeginnings;
}
