import type { Deletions } from "../segment/deletions.ts";
import { countDeleted, countPostings, postingCount } from "../segment/postings.ts";
import { type NameKind, nameKinds } from "../segment/segment-tables.ts";
import { type StringTable, stringAt, stringCount } from "../segment/string-table.ts";
import { fold } from "../text/fold.ts";
import { termOf } from "../text/term.ts";
import { tokenize } from "../text/tokenize.ts";
import { keepMarked, keepRange } from "./keep-matches.ts";
import { createMatches, intersect, keepLive, loadPostings, type Matches, retain, settle } from "./matches.ts";
import { documentsWithNames, joinLists } from "./name-lists.ts";
import type { SearchFilters } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";

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

/** Keeps the matches that are not deleted and that every filter lets through. */
export function applyFilter(matches: Matches, filter: SegmentFilter): void {
  if (narrows(filter)) narrow(matches, filter);
  else if (filter.deletions !== undefined && !deferDeletions(matches, filter)) narrow(matches, filter);
  for (const list of filter.required) retain(matches, list, true);
  for (const list of filter.excluded) retain(matches, list, false);
}

/** Whether more than deletions must be looked at, document by document. */
function narrows({ filters, availability, names }: SegmentFilter): boolean {
  const { source, minPriceMinor, maxPriceMinor, minRating, minDiscount } = filters;
  const wanted = [source, minPriceMinor, maxPriceMinor, availability, minRating, minDiscount];
  return names.length > 0 || wanted.some((part) => part !== undefined);
}

// With so many times more matches than deletions, looking for these among those is faster than looking at every match.
const FEW_DELETIONS = 8;

/** Of a list that was not copied yet the deletions are only counted; whoever reads it passes them over. */
function deferDeletions(matches: Matches, { reader, deletions }: SegmentFilter): boolean {
  const { deferred } = matches;
  if (deferred === undefined || deletions === undefined) return false;
  const { postings } = deferred;
  const deleted = reader.deletedDocuments;
  const isFew = deleted.length * FEW_DELETIONS < matches.count;
  matches.count -= isFew ? countPostings(postings, deleted) : countDeleted(postings, deletions);
  matches.deferred = { ...deferred, deletions };
  return true;
}

/** One short pass a condition, the first over all matches, the next over what is left. */
function narrow(matches: Matches, { reader, deletions, filters, availability, names }: SegmentFilter): void {
  const { sections } = reader.segment;
  const { source, minPriceMinor, maxPriceMinor, minRating, minDiscount } = filters;
  if (minPriceMinor !== undefined || maxPriceMinor !== undefined)
    keepRange(matches, sections.prices, minPriceMinor, maxPriceMinor);
  for (const { column, wanted } of names) keepMarked(matches, column, wanted);
  if (availability !== undefined) keepMarked(matches, sections.availabilities, availability);
  if (minRating !== undefined) keepRange(matches, sections.ratings, Math.fround(minRating));
  if (minDiscount !== undefined) keepRange(matches, sections.discounts, Math.fround(minDiscount));
  // The sources tell what was deleted, too.
  if (source !== undefined) keepMarked(matches, reader.liveSources, marks(256, [source]));
  else if (deletions !== undefined) keepLive(matches, deletions);
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
