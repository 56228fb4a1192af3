import { BoundedCache } from "../bounded-cache.ts";
import { settle } from "../search/matches.ts";
import {
  type AttributeFacet,
  type FacetKind,
  type FacetQuery,
  type FacetRequest,
  type Facets,
  type FacetValue,
  type FilterKey,
  facetKinds,
  type RangeKind,
  type SearchFilters,
} from "../search/search-query.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import type { Postings } from "../segment/postings.ts";
import type { Segment } from "../segment/segment.ts";
import type { Numbers } from "../segment/segment-layout.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { indexOfString, stringCount } from "../segment/string-table.ts";
import {
  attributePrefix,
  flagTag,
  furtherPrefix,
  innerPrefix,
  levelPrefix,
  pathKey,
  pathSeparator,
  tagKey,
} from "../segment/tags.ts";
import { type Measure, readMeasure } from "../text/measure.ts";
import { nameKey } from "../text/tokenize.ts";
import { checkTime } from "../time-limit.ts";
import { measureReader } from "./attribute-numbers.ts";
import {
  columnKind,
  countsOfTerm,
  type FacetPlan,
  facetColumn,
  frequentList,
  frequentLists,
  liveTotals,
  noCounts,
} from "./facet-plan.ts";
import {
  type AllCounts,
  availabilityCodes,
  countRows,
  priceRanges,
  ratingRanges,
  valueClassCount,
} from "./facet-rows.ts";
import {
  beginsWord,
  byDocuments,
  frequentValues,
  joinSpellings,
  joinVariants,
  nameAt,
  nameVariants,
  type Tally,
  type TextTable,
} from "./frequent-values.ts";
import { type NumericAttribute, numericAttribute, rangeOfMeasures } from "./numeric-attributes.ts";
import {
  type AttributeTags,
  attributeKey,
  attributesIn,
  furtherRange,
  innerRange,
  levelRange,
  tagValue,
  tagVariants,
} from "./segment-tags.ts";
import { documentsPassing, TagCounter } from "./tag-counts.ts";

/** What facets are made from, however it was counted. */
export interface FacetCounts {
  tallies(kind: NameKind, withInner?: boolean): readonly Tally[];
  readonly repeated: RepeatedNames;
  levels(): readonly Tally[];
  /** By code. */
  availability(): Uint32Array;
  onSale(): number;
  /** Each attribute with the number of documents that have it. */
  attributes(): ReadonlyMap<FilterKey, FacetValue>;
  valuesOf(attribute: FilterKey): readonly Tally[];
  /** Undefined for an attribute of text. */
  numeric(name: string): NumericAttribute | undefined;
  ranges(kind: RangeKind): Facets[RangeKind];
}

const noFacets: Facets = {
  brands: [],
  categories: [],
  stores: [],
  price: [],
  rating: [],
  categoryPaths: [],
  availability: [],
  onSale: [],
  attributes: [],
};

/** For each reader, the list whose documents are the matches, if it is one. To be read before the matches are copied. */
export function matchedLists(readers: readonly SegmentReader[]): Array<Postings | undefined> {
  return readers.map(({ state }) => state.matches.deferred?.postings);
}

/** Of a value about 50 bytes. */
const keptValues = 2 ** 15;
const keptFacets = new WeakMap<readonly SegmentReader[], BoundedCache<string, Facets>>();

/**
 * Facets of matches that many searches have, those of a frequent word or of filters alone, are kept as long as the snapshot.
 * `matches` tells them: it is undefined for others.
 */
export function toFacets(
  readers: readonly SegmentReader[],
  request: FacetRequest | undefined,
  matches: string | undefined,
  countsOf: (request: FacetRequest) => FacetCounts,
): Facets {
  if (request === undefined) return noFacets;
  const count = () => readFacets(request, countsOf(request));
  if (matches === undefined) return count();
  const kept = keptFacets.get(readers) ?? new BoundedCache(keptValues, valuesOf);
  keptFacets.set(readers, kept);
  return kept.get(`${matches} ${JSON.stringify(request)}`, count);
}

function valuesOf({ attributes, ...others }: Facets): number {
  const lists = [...Object.values(others), ...attributes.map(({ values }) => values)];
  return lists.reduce((sum, { length }) => sum + length, 1);
}

/** What tells the matches in the readers' scratch space. To be read before they are copied. */
export function matchesKey(
  readers: readonly SegmentReader[],
  { filtersAlone, wordsAlone, source }: FacetPlan,
  isGrouped: boolean,
): string | undefined {
  const lists = wordsAlone ? frequentLists(readers) : undefined;
  return filtersAlone === undefined && lists === undefined
    ? undefined
    : `${isGrouped} ${source} ${filtersAlone ?? lists}`;
}

function readFacets(request: FacetRequest, counts: FacetCounts): Facets {
  const { names, maxValues, query, attributes } = request;
  const valuesOf = (kind: NameKind) =>
    // By key, as OpenSearch cuts off.
    names.includes(kind) ? frequentValues(counts.tallies(kind), maxValues, keeperOf(query, kind), true) : [];
  const onSale = names.includes("onSale") ? counts.onSale() : 0;
  return {
    brands: valuesOf("brands"),
    categories: names.includes("categories") ? categoryNames(request, counts) : [],
    stores: valuesOf("stores"),
    price: names.includes("price") ? counts.ranges("price") : [],
    rating: names.includes("rating") ? counts.ranges("rating") : [],
    categoryPaths: names.includes("categoryPaths") ? categoryPaths(request, counts) : [],
    availability: names.includes("availability") ? availabilityFacet(counts.availability()) : [],
    onSale: onSale === 0 ? [] : [{ value: "true", count: onSale }],
    attributes: attributes === undefined ? [] : attributeFacets(request, counts),
  };
}

/** Last names of categories, each with all documents that have it at any level, as the filter finds them. */
function categoryNames({ maxValues, query }: FacetRequest, counts: FacetCounts): FacetValue[] {
  const last = counts.tallies("categories");
  const keeps = keeperOf(query, "categories");
  if (!counts.repeated.last) return frequentValues(last, maxValues, keeps);
  return withAllLevels(last, counts, keeps).slice(0, maxValues);
}

/** A path of one name has what the filter finds by it: all documents that have the name at any level. */
function categoryPaths(
  { maxValues, maxPaths = maxValues, query }: FacetRequest,
  counts: FacetCounts,
): FacetValue[] {
  const keeps = keeperOf(query, "categoryPaths");
  if (!counts.repeated.top) return frequentValues(counts.levels(), maxPaths, keeps);
  return withAllLevels(counts.levels(), counts, keeps).slice(0, maxPaths);
}

/** All values, those that are one name with the documents that have it at any level. */
function withAllLevels(
  tallies: readonly Tally[],
  counts: FacetCounts,
  keeps: ReturnType<typeof keeperOf>,
): FacetValue[] {
  const all = Number.POSITIVE_INFINITY;
  const byKey = new Map(
    frequentValues(counts.tallies("categories", true), all).map(({ value, count }) => [
      nameKey(value),
      count,
    ]),
  );
  return frequentValues(tallies, all, keeps)
    .map(({ value, count }) => ({ value, count: byKey.get(pathKey(value)) ?? count }))
    .sort(byDocuments);
}

function keeperOf(
  query: FacetQuery | undefined,
  facet: FacetQuery["facet"],
): ((text: string) => boolean) | undefined {
  if (query === undefined) return undefined;
  return facetId(query.facet) === facetId(facet) ? beginsWord(query.text) : undefined;
}

function facetId(facet: FacetQuery["facet"]): string {
  return typeof facet === "string" ? facet : attributeKey(facet.attribute);
}

function availabilityFacet(counts: Uint32Array): Facets["availability"] {
  const values: { value: number; count: number }[] = [];
  for (let code = 0; code < counts.length; code++) {
    const count = counts[code] ?? 0;
    if (count > 0) values.push({ value: code, count });
  }
  return values.sort((a, b) => b.count - a.count || a.value - b.value);
}

function attributeFacets(
  { attributes, maxValues, query }: FacetRequest,
  counts: FacetCounts,
): AttributeFacet[] {
  const { frequent = 0, names = [] } = attributes ?? {};
  const known = counts.attributes();
  const chosen = new Set(frequentAttributes(known, frequent));
  const namedKeys = new Set(names.map(attributeKey));
  for (const key of namedKeys) chosen.add(key);
  return Array.from(chosen, (key) => {
    const { value: knownName, count: documents = 0 } = known.get(key) ?? {};
    // What no match has is named as it was asked for, whatever the rest of the catalog has.
    const name =
      (documents > 0 ? knownName : undefined) ?? names.find((one) => attributeKey(one) === key) ?? "";
    const keeps = keeperOf(query, { attribute: name });
    const tallies = counts.valuesOf(key);
    const range = namedKeys.has(key) ? rangeOfMeasures(counts.numeric(name), measuresIn(tallies)) : undefined;
    return { name, values: frequentValues(tallies, maxValues, keeps), ...(range && { range }) };
  });
}

/** The numbers that any document has. */
function* measuresIn(tallies: readonly Tally[]): Generator<Measure | undefined> {
  for (const { table, counts } of tallies) {
    const { from, to, measureOf = (number) => readMeasure(table.textOf(number)) } = table;
    for (let number = from; number < to; number++) if ((counts[number] ?? 0) > 0) yield measureOf(number);
  }
}

/** The keys of the attributes that most documents have. */
function frequentAttributes(counts: ReadonlyMap<FilterKey, FacetValue>, limit: number): FilterKey[] {
  return [...counts]
    .filter(([, { count }]) => count > 0)
    .sort(([, a], [, b]) => byDocuments(a, b))
    .slice(0, limit)
    .map(([key]) => key);
}

/** Counts documents, each facet over the matches and those that fail only its own filter. */
export class DocumentCounts implements FacetCounts {
  readonly #counted: readonly CountedSegment[];
  readonly repeated: RepeatedNames;
  readonly numeric: FacetCounts["numeric"];

  constructor(
    readers: readonly SegmentReader[],
    { names }: FacetRequest,
    plan: FacetPlan,
    lists: ReturnType<typeof matchedLists>,
  ) {
    this.numeric = (name) => numericAttribute(readers, name, plan.source);
    this.repeated = repeatedNames(readers);
    const kinds = facetKinds.filter((kind) => names.includes(kind));
    this.#counted = readers.map((reader, i) => new CountedSegment(reader, kinds, plan, lists[i]));
  }

  tallies(kind: NameKind, withInner = false): Tally[] {
    const tallies = this.#counted.map((one) => ({
      table: nameTable(one.segment, kind),
      counts: joinVariants(one.countsOf(kind), nameVariants(one.segment, kind).sets),
    }));
    if (kind !== "categories") return tallies;
    const tables = withInner ? [furtherTable, innerTable] : [furtherTable];
    return [...tallies, ...tables.flatMap((tableOf) => this.#tagTallies("categories", tableOf))];
  }

  levels(): Tally[] {
    return this.#tagTallies("categories", levelTable);
  }

  availability(): Uint32Array {
    return addUp(
      this.#counted.map((one) => one.availability()),
      availabilityCodes,
    );
  }

  onSale(): number {
    return this.#counted.reduce((sum, { segment, tags }) => {
      const tag = indexOfString(segment.tags, flagTag("onSale"));
      return tag < 0 ? sum : sum + (tags.countsWithout("onSale").tags[tag] ?? 0);
    }, 0);
  }

  attributes(): Map<FilterKey, FacetValue> {
    const known = new Map<FilterKey, FacetValue>();
    for (const { segment, tags } of this.#counted)
      attributesIn(segment).forEach(({ key, name }, i) => {
        const documents = tags.countsWithout(key).attributes[i] ?? 0;
        if (documents > 0) known.set(key, joinSpellings(known.get(key), { value: name, count: documents }));
      });
    return known;
  }

  valuesOf(attribute: FilterKey): Tally[] {
    return this.#counted.flatMap(({ segment, tags }) =>
      attributeTables(segment, attribute).map((table) => ({
        table,
        counts: joinVariants(tags.countsWithout(attribute).tags, tagVariants(segment).sets),
      })),
    );
  }

  ranges(kind: RangeKind): Facets[RangeKind] {
    const sums = new Float64Array(valueClassCount);
    for (const one of this.#counted) addCounts(sums, one.countsOf(kind));
    return kind === "price" ? priceRanges(sums) : ratingRanges(sums);
  }

  #tagTallies(key: FilterKey, tableOf: (segment: Segment) => TextTable): Tally[] {
    return this.#counted.flatMap(({ segment, tags }) => {
      const table = tableOf(segment);
      // Most catalogs have no further categories: then nothing is counted for them.
      if (table.from === table.to) return [];
      return [{ table, counts: joinVariants(tags.countsWithout(key).tags, tagVariants(segment).sets) }];
    });
  }
}

function addUp(counted: readonly Uint32Array[], length: number): Uint32Array {
  const sums = new Uint32Array(length);
  for (const counts of counted) addCounts(sums, counts);
  return sums;
}

function addCounts(sums: Uint32Array | Float64Array, counts: Uint32Array): void {
  for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + (counts[i] ?? 0);
}

export function nameTable(segment: Segment, kind: NameKind): TextTable {
  return {
    strings: segment[kind],
    from: 0,
    to: stringCount(segment[kind]),
    textOf: (number) => nameAt(segment, kind, number),
    numberOf: (text) => indexOfString(segment[kind], text),
    keyOf: nameKey,
    numbersOf: (key) => nameVariants(segment, kind).numbersOf(key),
  };
}

/** The values of the tags with a prefix. */
function valueTable(segment: Segment, prefix: string, [from, to]: readonly [number, number]): TextTable {
  return {
    strings: segment.tags,
    from,
    to,
    textOf: (tag) => tagValue(segment, tag),
    numberOf: (value) => indexOfString(segment.tags, prefix + value),
    keyOf: prefix === levelPrefix ? pathKey : nameKey,
    numbersOf: (key) => tagVariants(segment).numbersOf(tagKey(prefix + key)),
  };
}

export function levelTable(segment: Segment): TextTable {
  return valueTable(segment, levelPrefix, levelRange(segment));
}

/** Names of categories after the first, which may also be names of first ones. */
export function furtherTable(segment: Segment): TextTable {
  return valueTable(segment, furtherPrefix, furtherRange(segment));
}

/** Names of levels above the last ones. */
export function innerTable(segment: Segment): TextTable {
  return valueTable(segment, innerPrefix, innerRange(segment));
}

/** Names that are at several levels: a filter by such a name finds more than its own list or path has. */
export interface RepeatedNames {
  /** Some name is the last one of a category, and a higher level of another. */
  readonly last: boolean;
  /** Some name is at the top of a path, and below it in another. */
  readonly top: boolean;
}

const repeatedIn = new WeakMap<readonly SegmentReader[], RepeatedNames>();

export function repeatedNames(readers: readonly SegmentReader[]): RepeatedNames {
  const known = repeatedIn.get(readers) ?? findRepeatedNames(readers.map(({ segment }) => segment));
  repeatedIn.set(readers, known);
  return known;
}

function findRepeatedNames(segments: readonly Segment[]): RepeatedNames {
  const tops = new Set<string>();
  const below = new Set<string>();
  for (const path of segments.flatMap((segment) => [...textsOf(levelTable(segment))])) {
    const names = path.split(pathSeparator);
    (names.length === 1 ? tops : below).add(nameKey(names.at(-1) ?? ""));
  }
  const isLast = (name: string) => {
    const key = nameKey(name);
    return segments.some((segment) =>
      [nameTable(segment, "categories"), furtherTable(segment)].some(
        ({ numbersOf }) => numbersOf(key).length > 0,
      ),
    );
  };
  return {
    last: segments.some((segment) => [...textsOf(innerTable(segment))].some(isLast)),
    top: [...tops].some((name) => below.has(name)),
  };
}

function* textsOf({ from, to, textOf }: TextTable): Generator<string> {
  for (let number = from; number < to; number++) yield textOf(number);
}

/** One for each spelling of its name. */
function attributeTables(segment: Segment, key: FilterKey): TextTable[] {
  return attributesIn(segment)
    .filter((attribute) => attribute.key === key)
    .map((attribute) => attributeTable(segment, attribute));
}

export function attributeTable(
  segment: Segment,
  { name, from, to }: Pick<AttributeTags, "name" | "from" | "to">,
): TextTable {
  return {
    ...valueTable(segment, attributePrefix(name), [from, to]),
    measureOf: measureReader(segment, name),
  };
}

/** The counts of one segment. Several facets are counted in one pass over its matches. */
class CountedSegment {
  readonly segment: SegmentReader["segment"];
  readonly tags: TagCounter;
  readonly #reader: SegmentReader;
  readonly #plan: FacetPlan;
  readonly #together: AllCounts | undefined;
  /** What tells the matches, if they are those of a frequent word. */
  readonly #key: number | string | undefined;

  constructor(
    reader: SegmentReader,
    kinds: readonly FacetKind[],
    plan: FacetPlan,
    list: Postings | undefined,
  ) {
    this.segment = reader.segment;
    this.#key = frequentList(list);
    this.tags = new TagCounter(reader, plan, list);
    this.#reader = reader;
    this.#plan = plan;
    if (kinds.length > 1) this.#together = countTogether(reader, plan, list);
    if (kinds.length > 0 && this.#together === undefined) settle(reader.state.matches);
  }

  /** Not to be changed. */
  countsOf(kind: FacetKind): Uint32Array {
    checkTime();
    const { segment } = this;
    if (kind === this.#plan.whole) return liveTotals(this.#reader, kind, this.#plan.source);
    const other = this.#plan.byOther.get(kind);
    if (other !== undefined) return countFiltered(this.#reader, kind, other);
    const { matches, nearMisses, unfiltered } = this.#reader.state;
    if (unfiltered?.kind === kind) return unfiltered.counts[columnKind(kind)];
    const missed = nearMisses.get(kind);
    const together = this.#together?.[columnKind(kind)];
    if (together !== undefined && missed === undefined) return together;
    const counts = together?.slice() ?? noCounts(segment, kind);
    const column = facetColumn(segment, kind);
    if (together === undefined) countNumbers(counts, column, matches.docs, matches.count);
    if (missed !== undefined) countNumbers(counts, column, missed, missed.length);
    return counts;
  }

  /** By code. */
  availability(): Uint32Array {
    checkTime();
    const { whole, byOther, source } = this.#plan;
    const { matches, nearMisses, unfiltered } = this.#reader.state;
    const column = this.segment.sections.availabilities;
    const counts = new Uint32Array(availabilityCodes);
    const other = whole === "availability" ? { source } : byOther.get("availability");
    if (other !== undefined) {
      const { filterCounts } = this.#reader.hidden(source);
      return filterCounts.get(JSON.stringify(["availability", other]), () => {
        const docs = documentsPassing(this.#reader, other);
        countNumbers(counts, column, docs, docs.length);
        return counts;
      });
    }
    if (unfiltered?.kind === "availability") return unfiltered.counts.availabilities;
    const countMatches = () => {
      settle(matches);
      const all = new Uint32Array(availabilityCodes);
      countNumbers(all, column, matches.docs, matches.count);
      return all;
    };
    const key = this.#key;
    const { filterCounts } = this.#reader.hidden(source);
    const all =
      this.#together?.availabilities ??
      (key === undefined ? countMatches() : filterCounts.get(`availability ${key}`, countMatches));
    const missed = nearMisses.get("availability");
    if (missed === undefined) return all;
    const counted = all.slice();
    countNumbers(counted, column, missed, missed.length);
    return counted;
  }
}

function countTogether(
  reader: SegmentReader,
  { source }: FacetPlan,
  list: Postings | undefined,
): AllCounts | undefined {
  const { matches } = reader.state;
  const known = list && countsOfTerm(reader, source, list);
  if (known !== undefined) return known;
  settle(matches);
  return countRows(reader.segment, matches.docs, matches.count);
}

/**
 * A facet's counts over the documents that pass one filter: names, prices or a rating. Those of the last filters are kept
 * as long as the snapshot: users choose one value after the other.
 */
function countFiltered(reader: SegmentReader, kind: FacetKind, filters: SearchFilters): Uint32Array {
  const { filterCounts } = reader.hidden(filters.source);
  return filterCounts.get(JSON.stringify([kind, filters]), () => {
    const counts = noCounts(reader.segment, kind);
    const docs = documentsPassing(reader, filters);
    countNumbers(counts, facetColumn(reader.segment, kind), docs, docs.length);
    return counts;
  });
}

/** How often each number occurs in a column at these documents. Plain indexing, no closures: an inner loop. */
function countNumbers(counts: Uint32Array, column: Numbers, docs: Uint32Array, documents: number): void {
  for (let i = 0; i < documents; i++) {
    const number = column[docs[i] ?? 0] ?? 0;
    counts[number] = (counts[number] ?? 0) + 1;
  }
}
