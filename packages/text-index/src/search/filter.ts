import { noNearMisses, type OwnFilter, splitByOwnFilters } from "../facets/near-misses.ts";
import { indexesOfName } from "../facets/segment-names.ts";
import type { Alternative } from "../query/query-plan.ts";
import type { Deletions } from "../segment/deletions.ts";
import { countDeleted, countPostings, postingCount } from "../segment/postings.ts";
import { type NameKind, nameKinds } from "../segment/segment-tables.ts";
import { stringCount } from "../segment/string-table.ts";
import { keepMarked, keepRange } from "./keep-matches.ts";
import { documentsWithNames, joinLists } from "./lists/name-lists.ts";
import { createMatches, intersect, keepLive, loadPostings, type Matches, retain, settle } from "./matches.ts";
import type { FacetKind, SearchFilters } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";

/** A query's filters, prepared for one segment. */
export interface SegmentFilter {
  readonly reader: SegmentReader;
  readonly deletions: Deletions | undefined;
  /** All except those in `own`. */
  readonly filters: SearchFilters;
  readonly availability: Uint8Array | undefined;
  readonly names: readonly NameFilter[];
  /** Filters of facets whose counts ignore them: documents that fail only one of these are kept separately. */
  readonly own: readonly OwnFilter[];
  /** Lists of sorted documents: a match must be in each of the first lists, and in none of the second. */
  readonly required: readonly Uint32Array[];
  readonly excluded: readonly Uint32Array[];
}

interface NameFilter {
  readonly kind: NameKind;
  readonly column: Uint32Array;
  /** 1 for each wanted number. */
  readonly wanted: Uint8Array;
}

/** How documents can have each word of a text. */
export type WaysOfText = (text: string) => readonly (readonly Alternative[])[];

/** `apart` are the facets whose own filters are kept separate from the others. */
export function createFilter(
  reader: SegmentReader,
  filters: SearchFilters,
  apart: readonly FacetKind[],
  waysOf: WaysOfText,
): SegmentFilter {
  const required = (filters.require ?? []).map((group) =>
    joinLists(group.map((text) => documentsWithAll(reader, waysOf(text)))),
  );
  const excluded = (filters.exclude ?? []).map((text) => documentsWithAll(reader, waysOf(text)));
  return {
    reader,
    deletions: reader.deletions,
    filters: withoutBounds(filters, apart),
    availability: filters.availability && marks(256, filters.availability),
    names: nameKinds.flatMap((kind) => (apart.includes(kind) ? [] : nameFilters(reader, kind, filters))),
    own: apart.flatMap((kind) => ownFilters(reader, kind, filters)),
    required,
    excluded: excluded.filter((docs) => docs.length > 0),
  };
}

function nameFilters(reader: SegmentReader, kind: NameKind, filters: SearchFilters): NameFilter[] {
  const names = filters[kind];
  if (names === undefined) return [];
  const { segment } = reader;
  const wanted = new Uint8Array(stringCount(segment[kind]));
  for (const name of names) for (const index of indexesOfName(segment, kind, name)) wanted[index] = 1;
  return [{ kind, column: segment.sections[kind], wanted }];
}

function ownFilters(reader: SegmentReader, kind: FacetKind, filters: SearchFilters): OwnFilter[] {
  const { prices, ratings } = reader.segment.sections;
  if (kind === "price") {
    const {
      minPriceMinor: least = Number.NEGATIVE_INFINITY,
      maxPriceMinor: most = Number.POSITIVE_INFINITY,
    } = filters;
    return [{ kind, column: prices, least, most }];
  }
  if (kind === "rating") {
    const least = Math.fround(filters.minRating ?? Number.NEGATIVE_INFINITY);
    return [{ kind, column: ratings, least, most: Number.POSITIVE_INFINITY }];
  }
  return nameFilters(reader, kind, filters);
}

function withoutBounds(filters: SearchFilters, apart: readonly FacetKind[]): SearchFilters {
  return {
    ...filters,
    ...(apart.includes("price") && { minPriceMinor: undefined, maxPriceMinor: undefined }),
    ...(apart.includes("rating") && { minRating: undefined }),
  };
}

/**
 * A superset of the documents that pass the filter or fail one of `own`, as small as can be found quickly; undefined
 * if it would be all.
 */
export function candidates({ reader, names, own, required }: SegmentFilter): Uint32Array | undefined {
  const listOf = ({ kind, wanted }: NameFilter) => documentsWithNames(reader.segment, kind, wanted);
  const [one, other] = own.filter(isNameFilter).map(listOf).toSorted(byLength);
  // A document that fails only one of them passes the other.
  const either = one === undefined || other === undefined ? [] : [joinLists([one, other])];
  return [...names.map(listOf), ...required, ...either].toSorted(byLength)[0];
}

function isNameFilter(filter: OwnFilter): filter is NameFilter {
  return "wanted" in filter;
}

function byLength(one: Uint32Array, other: Uint32Array): number {
  return one.length - other.length;
}

/** Keeps the matches that are not deleted and pass all filters. */
export function applyFilter(matches: Matches, filter: SegmentFilter): void {
  if (narrows(filter)) narrow(matches, filter);
  else if (filter.deletions !== undefined && !deferDeletions(matches, filter)) narrow(matches, filter);
  for (const list of filter.required) retain(matches, list, true);
  for (const list of filter.excluded) retain(matches, list, false);
  filter.reader.state.nearMisses =
    filter.own.length === 0 ? noNearMisses : splitByOwnFilters(filter.reader.segment, matches, filter.own);
}

/** Whether documents must be checked for more than deletion. */
function narrows({ filters, availability, names }: SegmentFilter): boolean {
  const { source, minPriceMinor, maxPriceMinor, minRating, minDiscount } = filters;
  const wanted = [source, minPriceMinor, maxPriceMinor, availability, minRating, minDiscount];
  return names.length > 0 || wanted.some((part) => part !== undefined);
}

// If there are this many times more matches than deletions, searching the deletions in the matches is faster than
// checking each match.
const fewDeletions = 8;

/** In a list that was not copied yet, deletions are only counted. Its readers skip them. */
function deferDeletions(matches: Matches, { reader, deletions }: SegmentFilter): boolean {
  const { deferred } = matches;
  if (deferred === undefined || deletions === undefined) return false;
  const { postings } = deferred;
  const deleted = reader.deletedDocuments;
  const isFew = deleted.length * fewDeletions < matches.count;
  matches.count -= isFew ? countPostings(postings, deleted) : countDeleted(postings, deletions);
  matches.deferred = { ...deferred, deletions };
  return true;
}

/** One short pass per condition: the first over all matches, each next one over the rest. */
function narrow(matches: Matches, { reader, deletions, filters, availability, names }: SegmentFilter): void {
  const { sections } = reader.segment;
  const { source, minPriceMinor, maxPriceMinor, minRating, minDiscount } = filters;
  if (minPriceMinor !== undefined || maxPriceMinor !== undefined)
    keepRange(matches, sections.prices, minPriceMinor, maxPriceMinor);
  for (const { column, wanted } of names) keepMarked(matches, column, wanted);
  if (availability !== undefined) keepMarked(matches, sections.availabilities, availability);
  if (minRating !== undefined) keepRange(matches, sections.ratings, Math.fround(minRating));
  if (minDiscount !== undefined) keepRange(matches, sections.discounts, Math.fround(minDiscount));
  // The column of sources also marks deleted documents.
  if (source !== undefined) keepMarked(matches, reader.liveSources, marks(256, [source]));
  else if (deletions !== undefined) keepLive(matches, deletions);
}

function marks(size: number, numbers: readonly number[]): Uint8Array {
  const marked = new Uint8Array(size);
  for (const number of numbers) marked[number] = 1;
  return marked;
}

function documentsWithAll(reader: SegmentReader, words: readonly (readonly Alternative[])[]): Uint32Array {
  const lists = words.map((ways) => reader.postingsOf(ways));
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
