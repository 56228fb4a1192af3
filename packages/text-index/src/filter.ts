import type { Deletions } from "./deletions.ts";
import { fold } from "./fold.ts";
import {
  createMatches,
  intersect,
  loadPostings,
  type Matches,
  postingCount,
  retain,
  settle,
} from "./matches.ts";
import { documentsWithNames, joinLists } from "./name-lists.ts";
import type { SearchFilters } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";
import { type NameKind, nameKinds } from "./segment-tables.ts";
import { type StringTable, stringAt, stringCount } from "./string-table.ts";
import { termOf } from "./term.ts";
import { tokenize } from "./tokenize.ts";

/** A query's filters, worked out for one segment. */
export interface SegmentFilter {
  readonly reader: SegmentReader;
  readonly deletions: Deletions | undefined;
  readonly filters: SearchFilters;
  readonly availability: Uint8Array | undefined;
  /** For the columns that are narrowed: 1 for each number that is wanted. */
  readonly names: ReadonlyArray<{
    readonly kind: NameKind;
    readonly column: Uint32Array;
    readonly wanted: Uint8Array;
  }>;
  /** Sorted documents: of each of these lists a match must be in, and of each of these out. */
  readonly required: readonly Uint32Array[];
  readonly excluded: readonly Uint32Array[];
}

export function createFilter(reader: SegmentReader, filters: SearchFilters): SegmentFilter {
  const required = (filters.require ?? []).map((group) =>
    joinLists(group.map((text) => documentsWithAll(reader, text))),
  );
  const excluded = (filters.exclude ?? []).map((text) => documentsWithAll(reader, text));
  return {
    reader,
    deletions: reader.deletions,
    filters,
    availability: filters.availability && marks(256, filters.availability),
    names: nameKinds.flatMap((kind) => {
      const names = filters[kind];
      return names === undefined
        ? []
        : [{ kind, column: reader.segment.sections[kind], wanted: wantedNames(reader.segment[kind], names) }];
    }),
    required,
    excluded: excluded.filter((docs) => docs.length > 0),
  };
}

/** Documents among which all are that the filter lets through, as few as it can tell at once; undefined for no fewer than all. */
export function candidates({ reader, names, required }: SegmentFilter): Uint32Array | undefined {
  const named = names.map(({ kind, wanted }) => documentsWithNames(reader.segment, kind, wanted));
  return [...named, ...required].toSorted((one, other) => one.length - other.length)[0];
}

/** Keeps the matches that are not deleted and that every filter lets through. One pass over the columns it needs. */
export function applyFilter(matches: Matches, filter: SegmentFilter): void {
  const { reader, deletions, filters, availability, names, required, excluded } = filter;
  const { docs, scores, words } = matches;
  const { sections } = reader.segment;
  const { source } = filters;
  const minPrice = filters.minPriceMinor ?? Number.NEGATIVE_INFINITY;
  const maxPrice = filters.maxPriceMinor ?? Number.POSITIVE_INFINITY;
  const byPrice = filters.minPriceMinor !== undefined || filters.maxPriceMinor !== undefined;
  const minRating = filters.minRating === undefined ? undefined : Math.fround(filters.minRating);
  const minDiscount = filters.minDiscount === undefined ? undefined : Math.fround(filters.minDiscount);
  const passive =
    !byPrice &&
    names.length === 0 &&
    [source, availability, minRating, minDiscount, deletions].every((part) => part === undefined);
  if (!passive) {
    // A list that was not copied yet is filtered where it is: what does not pass is never written.
    const { deferred } = matches;
    const from = deferred?.postings.docs ?? docs;
    const first = deferred?.postings.start ?? 0;
    matches.deferred = undefined;
    let kept = 0;
    for (let i = 0; i < matches.count; i++) {
      const doc = from[first + i] ?? 0;
      if (deletions !== undefined && (((deletions[doc >>> 3] ?? 0) >>> (doc & 7)) & 1) === 1) continue;
      if (source !== undefined && sections.sources[doc] !== source) continue;
      if (byPrice) {
        const price = sections.prices[doc] ?? 0;
        if (price < minPrice || price > maxPrice) continue;
      }
      if (availability !== undefined && availability[sections.availabilities[doc] ?? 0] !== 1) continue;
      if (minRating !== undefined && (sections.ratings[doc] ?? 0) < minRating) continue;
      if (minDiscount !== undefined && (sections.discounts[doc] ?? 0) < minDiscount) continue;
      if (names.length > 0 && !hasNames(names, doc)) continue;
      docs[kept] = doc;
      words[kept] = words[i] ?? 0;
      scores[kept++] =
        deferred === undefined
          ? (scores[i] ?? 0)
          : (deferred.postings.impacts[first + i] ?? 0) * deferred.weight;
    }
    matches.count = kept;
  }
  for (const list of required) retain(matches, list, true);
  for (const list of excluded) retain(matches, list, false);
}

function hasNames(names: SegmentFilter["names"], doc: number): boolean {
  for (const { column, wanted } of names) if (wanted[column[doc] ?? 0] !== 1) return false;
  return true;
}

function marks(size: number, numbers: readonly number[]): Uint8Array {
  const marked = new Uint8Array(size);
  for (const number of numbers) marked[number] = 1;
  return marked;
}

function wantedNames(table: StringTable, wanted: readonly string[]): Uint8Array {
  const keys = new Set(wanted.map((name) => fold(name).trim()));
  const marked = new Uint8Array(stringCount(table));
  for (let i = 0; i < marked.length; i++) if (keys.has(fold(stringAt(table, i)).trim())) marked[i] = 1;
  return marked;
}

function documentsWithAll(reader: SegmentReader, text: string): Uint32Array {
  const lists = tokenize(text, "query").map((word) => reader.postingsOf([{ term: termOf(word), weight: 1 }]));
  lists.sort((a, b) => postingCount(a) - postingCount(b));
  const [rarest, ...others] = lists;
  if (rarest === undefined) return new Uint32Array();
  if (others.length === 0) return rarest.docs.subarray(rarest.start, rarest.end);
  const matches = createMatches(postingCount(rarest));
  loadPostings(matches, rarest, 1);
  for (const list of others) intersect(matches, list, 1);
  settle(matches);
  return matches.docs.slice(0, matches.count);
}
