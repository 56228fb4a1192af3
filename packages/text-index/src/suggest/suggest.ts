import { BoundedCache } from "../bounded-cache.ts";
import { liveTotals } from "../facets/facet-plan.ts";
import { nameAt } from "../facets/frequent-values.ts";
import type { SearchQuery, SearchResult } from "../search/search-query.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import type { Segment } from "../segment/segment.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { spelled } from "../segment/spellings.ts";
import { compareCodePoints, stringCount } from "../segment/string-table.ts";
import { fold, tokenize } from "../text/tokenize.ts";
import { createLikeness, letterMask, QueryCompletion, readTyped } from "./complete-query.ts";
import { phrasesOf, type SegmentPhrases } from "./segment-phrases.ts";

/** Later words of longer names are not looked up. */
const maxWords = 6;

const endsOf = new WeakMap<Segment, Partial<Record<NameKind, readonly NameEnd[]>>>();

/** Names of one kind with the number of live documents of a source, computed once per snapshot. */
class NameBeginnings {
  readonly #readers: readonly SegmentReader[];
  readonly #kind: NameKind;
  readonly #totals: readonly Uint32Array[];

  constructor(readers: readonly SegmentReader[], kind: NameKind, source: number | undefined) {
    this.#readers = readers;
    this.#kind = kind;
    this.#totals = readers.map((reader) => liveTotals(reader, kind, source));
  }

  /**
   * Names in which a word begins with the typed text or its last words; if there are none, with a typing error. Names
   * that begin with the text come first, then the most frequent.
   */
  find(typed: string, limit: number): string[] {
    const words = tokenize(typed, "query");
    for (let from = 0; from < words.length; from++) {
      const text = words.slice(from).join(" ");
      const found = this.#rank((ends) => endsBeginning(ends, text).map((end) => ({ end, cost: 0 })), limit);
      if (found.length > 0) return found;
    }
    const likeness = createLikeness(words.at(-1) ?? "");
    if (likeness === undefined) return [];
    return this.#rank((ends) => {
      const near: Found[] = [];
      for (const end of ends) {
        const cost = likeness.costOf(end.text, end.mask);
        if (cost !== undefined) near.push({ end, cost });
      }
      return near;
    }, limit);
  }

  #rank(choose: (ends: readonly NameEnd[]) => readonly Found[], limit: number): string[] {
    const byKey = new Map<string, Ranked>();
    this.#readers.forEach(({ segment }, i) => {
      for (const { end, cost } of choose(nameEnds(segment, this.#kind))) {
        const documents = this.#totals[i]?.[end.name] ?? 0;
        if (documents === 0) continue;
        const name = nameAt(segment, this.#kind, end.name);
        const key = fold(name);
        const known = byKey.get(key);
        const place = cost + (end.isWhole ? 0 : innerPenalty);
        if (known === undefined) byKey.set(key, { name, documents, place });
        else if (known.name === name && known.place <= place) known.documents += documents;
        else known.place = Math.min(known.place, place);
      }
    });
    const ranked = [...byKey.values()].sort(
      (a, b) => a.place - b.place || b.documents - a.documents || compareCodePoints(a.name, b.name),
    );
    return ranked.slice(0, limit).map(({ name }) => name);
  }
}

/** A name in which only a later word matches ranks below one with a wrong first letter. */
const innerPenalty = 0.75;

export interface SuggestQuery {
  /** The text typed so far. */
  readonly text: string;
  /** The source of all suggestions. Default: any. */
  readonly source?: number | undefined;
  /** Maximum number of queries, of brands and of categories each, and of documents. */
  readonly queryLimit: number;
  readonly nameLimit: number;
  readonly productLimit: number;
  /** Documents with this availability come after all others. */
  readonly lastAvailability?: number | undefined;
}

export interface Suggestions {
  /** Completed queries, most likely first. Each finds a document with all its words. */
  readonly queries: readonly string[];
  readonly brands: readonly string[];
  readonly categories: readonly string[];
  /**
   * The best documents with the words of the first completed query, or of the text itself if there is no query; one of
   * each group.
   */
  readonly rowIds: readonly number[];
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

  #workOut(query: SuggestQuery): Suggestions {
    const { text, source, queryLimit: most, nameLimit: names, productLimit: documents } = query;
    const known = this.#namesOf(source);
    const typed = readTyped(text);
    const completed =
      typed === undefined
        ? []
        : new QueryCompletion(this.#readers, known.phrases, source, most, this.#termOf).complete(typed);
    // Documents have all the words, but a search may find that the catalog lacks the thing: "lamp floor".
    const queries = completed.filter((query) => this.#searching.findsAll(query, source));
    const segments = this.#readers.map(({ segment }) => segment);
    return {
      queries: queries.map((query) => spelled(segments, query)),
      brands: known.brands.find(text, names),
      categories: known.categories.find(text, names),
      rowIds: text.trim() === "" || documents === 0 ? [] : this.#documents(queries[0], query),
    };
  }

  /**
   * Synonyms are used only if the words as written find nothing: uniting their lists took most of the slowest
   * suggestions (7.4 ms at the 99th percentile, 3.3 ms now). The search for the completed query finds products with a
   * synonym.
   */
  #documents(
    query: string | undefined,
    { text, source, productLimit: limit, lastAvailability }: SuggestQuery,
  ): readonly number[] {
    const everyWord = query !== undefined;
    const grouped = { maxVariants: 0 };
    const page = { offset: 0, limit, grouped, lastAvailability };
    const search = { text: query ?? text, filters: { source }, everyWord, ...page };
    const { rowIds: ids } = this.#searching.search({ ...search, asWritten: true });
    return ids.length > 0 ? ids : this.#searching.search(search).rowIds;
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

interface Found {
  readonly end: NameEnd;
  readonly cost: number;
}

interface Ranked {
  readonly name: string;
  documents: number;
  place: number;
}

/** The rest of a name from one of its words on, folded: "aurelle finch" and "finch" of "Aurelle & Finch". */
interface NameEnd {
  readonly text: string;
  readonly mask: number;
  /** The index of the name in the segment's table. */
  readonly name: number;
  readonly isWhole: boolean;
}

/** The rests of all names of a segment, sorted; computed on first use. */
function nameEnds(segment: Segment, kind: NameKind): readonly NameEnd[] {
  const known = endsOf.get(segment) ?? {};
  endsOf.set(segment, known);
  known[kind] ??= collect(segment, kind);
  return known[kind];
}

/** Those that begin with the text. */
function endsBeginning(ends: readonly NameEnd[], text: string): readonly NameEnd[] {
  return ends.slice(lowerBound(ends, text), lowerBound(ends, `${text}\u{10ffff}`));
}

function collect(segment: Segment, kind: NameKind): NameEnd[] {
  const ends: NameEnd[] = [];
  for (let name = 0; name < stringCount(segment[kind]); name++) {
    const words = tokenize(nameAt(segment, kind, name), "query");
    for (let from = 0; from < Math.min(words.length, maxWords); from++) {
      const text = words.slice(from).join(" ");
      ends.push({ text, mask: letterMask(text), name, isWhole: from === 0 });
    }
  }
  return ends.sort((a, b) => compareCodePoints(a.text, b.text));
}

function lowerBound(ends: readonly NameEnd[], text: string): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareCodePoints(ends[middle]?.text ?? "", text) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
