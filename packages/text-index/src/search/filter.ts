import { countsOfTerm, pickFilters, withoutFilters } from "../facets/facet-plan.ts";
import { nameVariants } from "../facets/frequent-values.ts";
import { noNearMisses, type OwnFilter, splitByOwnFilters } from "../facets/near-misses.ts";
import { type TagFilter, tagFilters, taggedDocuments } from "../facets/numeric-attributes.ts";
import type { Alternative } from "../query/query-plan.ts";
import { postingCount } from "../segment/postings.ts";
import type { Deletions, Segment } from "../segment/segment.ts";
import {
  boundedNumbers,
  type Column,
  columnOf,
  type NumberFilters,
  type Numbers,
} from "../segment/segment-layout.ts";
import { type NameKind, nameKinds } from "../segment/segment-tables.ts";
import { stringCount } from "../segment/string-table.ts";
import { taggedSet } from "../segment/tags.ts";
import { nameKey } from "../text/tokenize.ts";
import { checkedAtOnce, checkTime } from "../time-limit.ts";
import {
  createMatches,
  intersect,
  keepLive,
  keepMarked,
  keepPlaces,
  keepRange,
  keepSet,
  loadPostings,
  type Matches,
  retain,
  settle,
} from "./matches.ts";
import type { FilterKey, KindFilter, SearchFilters } from "./search-query.ts";
import type { HiddenDocuments, SegmentReader } from "./segment-reader.ts";
import { isInSet } from "./top-hits.ts";

const listsOf = new WeakMap<Segment, Partial<Record<NameKind, NameLists>>>();

/** If the names have at least this share of all documents, reading the column is faster than joining their lists. */
const largeShare = 1 / 16;

/** A query's filters, prepared for one segment. */
export interface SegmentFilter {
  readonly reader: SegmentReader;
  /** Deleted documents and those of other sources than the accepted one. */
  readonly hidden: HiddenDocuments;
  /** The matches have no hidden documents. */
  readonly isVisible?: true;
  readonly source: number | undefined;
  // All except those in `own`.
  readonly ranges: readonly NumberRange[];
  readonly availability: readonly Uint8Array[];
  readonly names: readonly NameFilter[];
  /** Categories and attributes. */
  readonly tags: readonly TagFilter[];
  /** Filters of facets whose counts ignore them: documents that fail only one of these are kept separately. */
  readonly own: readonly OwnFilter[];
  readonly listsMisses: boolean;
  /** Lists of sorted documents: a match must be in each of the first lists, and in none of the second. */
  readonly required: readonly Uint32Array[];
  /** The documents of each kind, of which a match has one, the nearest kind first. */
  readonly kinds: readonly Uint32Array[];
  readonly excluded: readonly Uint32Array[];
}

interface NumberRange {
  readonly column: Column;
  readonly least: number;
  readonly most: number;
}

interface NameFilter {
  readonly kind: ColumnKind;
  readonly column: Numbers;
  /** 1 for each accepted number. */
  readonly accepted: Uint8Array;
}

/** Names that filter by their column: a document has one of each. It may have several categories. */
const columnKinds = nameKinds.filter((kind) => kind !== "categories");
type ColumnKind = (typeof columnKinds)[number];
const exclusionOf = { brands: "notBrands", stores: "notStores" } as const satisfies Record<
  ColumnKind,
  keyof SearchFilters
>;

/** How documents can have each word of a text. */
export type WaysOfText = (text: string) => readonly (readonly Alternative[])[];

/** Filters that facets ignore in their counts. */
export interface ApartFilters {
  readonly keys: readonly FilterKey[];
  /** Documents that fail only one of them are listed, also where counts of all documents are known. */
  readonly areListed: boolean;
}

/** `apart` are kept separate from the other filters. */
export function createFilter(
  reader: SegmentReader,
  filters: SearchFilters,
  { keys: apart, areListed }: ApartFilters,
  waysOf: WaysOfText,
): SegmentFilter {
  checkTime();
  const { always } = filters;
  const own = tagFilters(reader, filters);
  const tags = always === undefined ? own : [...own, ...tagFilters(reader, always).map(withoutFacet)];
  const required = (filters.withWords ?? []).map((group) =>
    joinLists(group.map((text) => documentsWithAll(reader, waysOf(text)))),
  );
  const kinds = (filters.kinds ?? []).map((kind) => documentsOfKind(reader, kind, waysOf));
  if (filters.kinds !== undefined) required.push(joinLists(kinds));
  const excluded = (filters.withoutWords ?? []).map((text) => documentsWithAll(reader, waysOf(text)));
  return {
    reader,
    hidden: reader.hidden(filters.source),
    source: filters.source,
    ranges: [withoutFilters(filters, apart), always ?? {}].flatMap((some) => rangesOf(reader, some)),
    availability: [
      ...(apart.includes("availability") ? [] : availabilityMarks(filters)),
      ...availabilityMarks(always ?? {}),
    ],
    names: columnKinds.flatMap((kind) => [
      ...(apart.includes(kind) ? [] : nameFilters(reader, kind, filters[kind])),
      ...nameFilters(reader, kind, filters[exclusionOf[kind]]).map(others),
      ...nameFilters(reader, kind, always?.[kind]),
      ...nameFilters(reader, kind, always?.[exclusionOf[kind]]).map(others),
    ]),
    tags: tags.filter(({ kind }) => !apart.includes(kind)),
    own: apart.flatMap((kind) => ownFilters(reader, kind, filters, tags)),
    listsMisses: areListed,
    required,
    kinds,
    excluded: excluded.filter((docs) => docs.length > 0),
  };
}

function withoutFacet(filter: TagFilter): TagFilter {
  return { ...filter, kind: "not" };
}

function rangesOf({ segment: { sections } }: SegmentReader, filters: NumberFilters): NumberRange[] {
  return boundedNumbers(filters).map(({ of, least, most }) => ({
    column: columnOf(sections, of),
    least,
    most,
  }));
}

function availabilityMarks({ availability }: SearchFilters): Uint8Array[] {
  return availability === undefined ? [] : [marks(256, availability)];
}

function nameFilters(
  reader: SegmentReader,
  kind: ColumnKind,
  names: readonly string[] | undefined,
): NameFilter[] {
  if (names === undefined) return [];
  const { segment } = reader;
  const accepted = new Uint8Array(stringCount(segment[kind]));
  const variants = nameVariants(segment, kind);
  for (const name of names) for (const index of variants.numbersOf(nameKey(name))) accepted[index] = 1;
  return [{ kind, column: segment.sections[kind], accepted }];
}

/** Accepts what the filter refuses. */
function others(filter: NameFilter): NameFilter {
  return { ...filter, accepted: filter.accepted.map((mark) => 1 - mark) };
}

function ownFilters(
  reader: SegmentReader,
  kind: FilterKey,
  filters: SearchFilters,
  tags: readonly TagFilter[],
): OwnFilter[] {
  const { availabilities } = reader.segment.sections;
  if (kind === "price" || kind === "rating")
    return rangesOf(reader, pickFilters(filters, kind)).map((range) => ({ kind, ...range }));
  if (kind === "availability")
    return availabilityMarks(filters).map((accepted) => ({ kind, column: availabilities, accepted }));
  if (kind === "brands" || kind === "stores") return nameFilters(reader, kind, filters[kind]);
  return tags.filter((tag) => tag.kind === kind);
}

/** The documents, live or deleted, with one of the brands. */
export function documentsOfBrands(reader: SegmentReader, filters: SearchFilters): Uint32Array {
  const [filter] = nameFilters(reader, "brands", filters.brands);
  return filter === undefined
    ? new Uint32Array()
    : documentsWithNames(reader.segment, "brands", filter.accepted);
}

export interface Candidates {
  readonly docs: Uint32Array;
  /** What they still have to pass. */
  readonly filter: SegmentFilter;
}

/**
 * A superset of the documents that pass the filter or fail one of `own`, as small as can be found quickly; undefined
 * if it would be all.
 */
export function candidates(filter: SegmentFilter): Candidates | undefined {
  const { reader, names, tags, own, required, hidden } = filter;
  const { segment } = reader;
  const sized = ({ kind, accepted }: NameFilter): SizedList => ({
    length: countWithNames(segment, kind, accepted),
    read: () => documentsWithNames(segment, kind, accepted),
  });
  const sizedTags = ({ passing }: TagFilter): SizedList => ({
    length: passing().count,
    read: () => taggedDocuments([passing()]),
  });
  const ownLists = [...own.filter(isNameFilter).map(sized), ...own.filter(isTagFilter).map(sizedTags)];
  const [one, other] = ownLists.toSorted(byLength);
  // A document that fails only one of them passes the other.
  const either =
    one === undefined || other === undefined
      ? []
      : [{ length: one.length + other.length, read: () => joinLists([one.read(), other.read()]) }];
  const lists = required.map((list) => ({ length: list.length, read: () => list }));
  const sets = tags.map(({ passing }) => passing());
  const withAllTags = {
    length: Math.min(...sets.map(({ count }) => count)),
    read: () => taggedDocuments(sets, hidden.marks),
  };
  const [shortest = withAllTags] = [...names.map(sized), withAllTags, ...lists, ...either].toSorted(byLength);
  if (shortest.length === Number.POSITIVE_INFINITY) return undefined;
  // Only the shortest is read: long lists of names have most documents.
  const docs = shortest.read();
  return { docs, filter: shortest === withAllTags ? { ...filter, tags: [], isVisible: true } : filter };
}

/** Documents that are listed only when they are needed. */
interface SizedList {
  readonly length: number;
  read(): Uint32Array;
}

function isNameFilter(filter: OwnFilter): filter is NameFilter {
  return "accepted" in filter && (filter.kind === "brands" || filter.kind === "stores");
}

function isTagFilter(filter: OwnFilter): filter is TagFilter {
  return "passing" in filter;
}

function byLength(one: { length: number }, other: { length: number }): number {
  return one.length - other.length;
}

/** Whether all documents pass that are not hidden. */
export function passesVisible({
  ranges,
  availability,
  names,
  tags,
  own,
  required,
  excluded,
}: SegmentFilter): boolean {
  return [ranges, availability, names, tags, own, required, excluded].every((some) => some.length === 0);
}

/** Keeps the matches that are not hidden and pass all filters. */
export function applyFilter(matches: Matches, filter: SegmentFilter): void {
  checkTime();
  const { hidden, required, excluded, own, reader } = filter;
  narrow(matches, filter);
  if (hidden.marks !== undefined && filter.isVisible === undefined) hide(matches, hidden, hidden.marks);
  for (const list of required) retain(matches, list, true);
  for (const list of excluded) retain(matches, list, false);
  reader.state.nearMisses = noNearMisses;
  reader.state.unfiltered = undefined;
  if (own.length > 0) applyOwnFilters(matches, filter);
}

/** Keeps apart what the facets count without their own filters. */
function applyOwnFilters(
  matches: Matches,
  { own, reader, source, hidden, listsMisses }: SegmentFilter,
): void {
  const [only, second] = own;
  const postings = matches.deferred?.postings;
  const counts = second === undefined && !listsMisses ? countsOfTerm(reader, source) : undefined;
  if (only === undefined || counts === undefined || postings === undefined) {
    reader.state.nearMisses = splitByOwnFilters(reader.segment, matches, own);
    return;
  }
  reader.state.unfiltered = { kind: only.kind, counts, postings };
  if ("accepted" in only) keepMarked(matches, only.column, only.accepted);
  else if ("passing" in only) keepSet(matches, only.passing().bits);
  else keepRange(matches, only.column, only.least, only.most);
  // A pass over a list that was not copied yet does not skip what is hidden.
  if (hidden.marks !== undefined) keepLive(matches, hidden.marks);
}

/** Of fewer, each is looked at: to find all documents of a range takes as long as to look at a fourth of them. */
const fewMatches = 1 / 4;

/** One short pass per condition: the first over all matches, each next one over the rest. */
function narrow(matches: Matches, { reader, ranges, availability, names, tags }: SegmentFilter): void {
  const { sections } = reader.segment;
  for (const { column, least, most } of ranges) keepRange(matches, column, least, most);
  for (const { column, accepted } of names) keepMarked(matches, column, accepted);
  for (const tag of tags) {
    const range = matches.count < fewMatches * reader.segment.documents ? tag.places() : undefined;
    if (range === undefined) keepSet(matches, tag.passing().bits);
    else keepPlaces(matches, range);
  }
  for (const accepted of availability) keepMarked(matches, sections.availabilities, accepted);
}

/** In a list that was not copied yet, hidden documents are only counted. Its readers skip them. */
function hide(matches: Matches, hidden: HiddenDocuments, marks: Deletions): void {
  const { deferred } = matches;
  if (deferred === undefined) keepLive(matches, marks);
  else {
    matches.count -= hidden.countIn(deferred.postings);
    matches.deferred = { ...deferred, deletions: marks };
  }
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

/** A category is read as in the filter on categories: its name at any level. */
function documentsOfKind(
  reader: SegmentReader,
  { category, words }: KindFilter,
  waysOf: WaysOfText,
): Uint32Array {
  const [tag] = category === "" ? [] : tagFilters(reader, { categories: [category] });
  if (tag === undefined) return documentsWithAll(reader, waysOf(words));
  const { bits } = tag.passing();
  if (words === "") return taggedDocuments([tag.passing()]);
  const docs = documentsWithAll(reader, waysOf(words));
  const found = new Uint32Array(docs.length);
  let count = 0;
  for (let i = 0; i < docs.length; i++) {
    if (i % checkedAtOnce === 0) checkTime();
    const doc = docs[i] ?? 0;
    if (isInSet(bits, doc)) found[count++] = doc;
  }
  return found.subarray(0, count);
}

/** An inverted column of names: the documents of name `n`, ascending, are `docs` in `[starts[n], starts[n + 1])`. */
interface NameLists {
  readonly docs: Uint32Array;
  readonly starts: Uint32Array;
}

/** The column is inverted on first use. */
function nameLists(segment: Segment, kind: NameKind): NameLists {
  const known = listsOf.get(segment) ?? {};
  listsOf.set(segment, known);
  known[kind] ??= turnRound(segment.sections[kind], stringCount(segment[kind]), segment.documents);
  return known[kind];
}

/** The number of documents with any of the accepted names. */
function countWithNames(segment: Segment, kind: NameKind, accepted: Uint8Array): number {
  const { starts } = nameLists(segment, kind);
  let count = 0;
  for (let name = 0; name < accepted.length; name++)
    if (accepted[name] === 1) count += (starts[name + 1] ?? 0) - (starts[name] ?? 0);
  return count;
}

/** The documents with any of the accepted names, ascending. Linear, however many names there are. */
function documentsWithNames(segment: Segment, kind: NameKind, accepted: Uint8Array): Uint32Array {
  const count = countWithNames(segment, kind, accepted);
  if (count >= largeShare * segment.documents) return readColumn(segment.sections[kind], accepted, count);
  const { docs, starts } = nameLists(segment, kind);
  const found = new Uint32Array(count);
  let lists = 0;
  let at = 0;
  for (let name = 0; name < accepted.length; name++) {
    if (accepted[name] !== 1) continue;
    const list = docs.subarray(starts[name], starts[name + 1]);
    if (list.length === count) return list;
    found.set(list, at);
    at += list.length;
    lists++;
  }
  return lists > 1 ? found.sort() : found;
}

function readColumn(column: Numbers, accepted: Uint8Array, count: number): Uint32Array {
  const found = new Uint32Array(count);
  for (let doc = 0, at = 0; at < count; doc++) if (accepted[column[doc] ?? 0] === 1) found[at++] = doc;
  return found;
}

/** Counting sort: one pass for the lengths, one to fill in. */
function turnRound(column: Numbers, names: number, documents: number): NameLists {
  const starts = new Uint32Array(names + 1);
  for (let doc = 0; doc < documents; doc++) {
    const after = (column[doc] ?? 0) + 1;
    starts[after] = (starts[after] ?? 0) + 1;
  }
  for (let name = 1; name <= names; name++) starts[name] = (starts[name] ?? 0) + (starts[name - 1] ?? 0);
  const next = starts.slice();
  const docs = new Uint32Array(documents);
  for (let doc = 0; doc < documents; doc++) {
    const name = column[doc] ?? 0;
    const at = next[name] ?? 0;
    docs[at] = doc;
    next[name] = at + 1;
  }
  return { docs, starts };
}

/** The union of ascending lists, ascending and without duplicates. */
function joinLists(lists: readonly Uint32Array[]): Uint32Array {
  const some = lists.filter((list) => list.length > 0);
  const [only = new Uint32Array(), second] = some;
  if (second === undefined) return only;
  const most = some.reduce((greatest, list) => Math.max(greatest, list.at(-1) ?? 0), 0);
  const marks = new Uint8Array(((most + 32) >>> 5) << 2);
  for (const list of some) {
    checkTime();
    for (let i = 0; i < list.length; i++) {
      const doc = list[i] ?? 0;
      marks[doc >>> 3] = (marks[doc >>> 3] ?? 0) | (1 << (doc & 7));
    }
  }
  return taggedDocuments([taggedSet(marks)]);
}
