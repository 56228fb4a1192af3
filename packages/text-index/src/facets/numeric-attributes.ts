import type {
  AttributeRange,
  FilterKey,
  MeasureRange,
  NumberBounds,
  NumberRange,
  RangeBound,
  SearchFilters,
} from "../search/search-query.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import type { Deletions, Segment } from "../segment/segment.ts";
import { stringCount } from "../segment/string-table.ts";
import { type TaggedDocuments, taggedSet } from "../segment/tags.ts";
import { type Measure, readMeasure, scaled, unitOf } from "../text/measure.ts";
import { checkedAtOnce, checkTime } from "../time-limit.ts";
import {
  documentsWithin,
  measureReader,
  numberOf,
  type PlaceRange,
  placesWithin,
} from "./attribute-numbers.ts";
import {
  type AttributeTags,
  attributeKey,
  attributesIn,
  type TagCondition,
  tagConditions,
} from "./segment-tags.ts";

/** An attribute whose values are numbers. */
export interface NumericAttribute {
  readonly key: FilterKey;
  /** That most of its values have; empty for numbers without a unit. */
  readonly unit: string;
  readonly dimension: string;
  /** Base units in its unit, which numbers without a unit are taken to have. */
  readonly factor: number;
}

/** An attribute that is no number in a greater share of its documents is text. */
const maxTextShare = 0.1;

const holdersOf = new WeakMap<Segment, Map<number | undefined, Uint32Array>>();

/** How many documents of a source have each tag. */
function tagHolders(segment: Segment, source: number | undefined): Uint32Array {
  const known = holdersOf.get(segment) ?? new Map<number | undefined, Uint32Array>();
  holdersOf.set(segment, known);
  const holders = known.get(source) ?? countHolders(segment, source);
  known.set(source, holders);
  return holders;
}

/** An inner loop: plain indexing. */
function countHolders({ documents, tags, sections }: Segment, source: number | undefined): Uint32Array {
  const { tagRows, tagStarts, sources } = sections;
  const holders = new Uint32Array(stringCount(tags));
  for (let doc = 0; doc < documents; doc++) {
    if (source !== undefined && sources[doc] !== source) continue;
    const end = tagStarts[doc + 1] ?? 0;
    for (let at = tagStarts[doc] ?? 0; at < end; at++) {
      const tag = tagRows[at] ?? 0;
      holders[tag] = (holders[tag] ?? 0) + 1;
    }
  }
  return holders;
}

type UnitCounts = ReadonlyMap<string | undefined, number>;

const unitCountsOf = new WeakMap<Segment, Map<string, UnitCounts>>();

/** For each unit of an attribute, how many documents of a source have it; undefined for values that are no numbers. */
function unitsOf(segment: Segment, attribute: AttributeTags, source: number | undefined): UnitCounts {
  const known = unitCountsOf.get(segment) ?? new Map<string, UnitCounts>();
  unitCountsOf.set(segment, known);
  const id = `${source} ${attribute.from}`;
  const counts = known.get(id) ?? countUnits(segment, attribute, tagHolders(segment, source));
  known.set(id, counts);
  return counts;
}

function countUnits(segment: Segment, { name, from, to }: AttributeTags, holders: Uint32Array): UnitCounts {
  const measureAt = measureReader(segment, name);
  const counts = new Map<string | undefined, number>();
  for (let tag = from; tag < to; tag++) {
    const unit = measureAt(tag)?.unit;
    counts.set(unit, (counts.get(unit) ?? 0) + (holders[tag] ?? 0));
  }
  return counts;
}

const attributesOf = new WeakMap<readonly SegmentReader[], Map<string, NumericAttribute | undefined>>();

/** Undefined for text, and for what no document of the source has. */
export function numericAttribute(
  readers: readonly SegmentReader[],
  name: string,
  source: number | undefined,
): NumericAttribute | undefined {
  const known = attributesOf.get(readers) ?? new Map<string, NumericAttribute | undefined>();
  attributesOf.set(readers, known);
  const key = attributeKey(name);
  const id = `${source} ${key}`;
  if (!known.has(id)) known.set(id, findNumeric(readers, key, source));
  return known.get(id);
}

function findNumeric(
  readers: readonly SegmentReader[],
  key: FilterKey,
  source: number | undefined,
): NumericAttribute | undefined {
  const byUnit = new Map<string, number>();
  let all = 0;
  for (const { segment } of readers)
    for (const attribute of attributesIn(segment)) {
      if (attribute.key !== key) continue;
      for (const [unit, documents] of unitsOf(segment, attribute, source)) {
        all += documents;
        if (unit !== undefined) byUnit.set(unit, (byUnit.get(unit) ?? 0) + documents);
      }
    }
  const [most] = [...byUnit].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
  if (most === undefined || all === 0) return undefined;
  const [unit] = most;
  const { dimension, factor } = unitOf(unit);
  const numbers = [...byUnit].reduce((sum, [one, documents]) => {
    const own = unitOf(one).dimension;
    return own === dimension || own === "" ? sum + documents : sum;
  }, 0);
  return numbers >= (1 - maxTextShare) * all ? { key, unit, dimension, factor } : undefined;
}

/** Passed by nothing. */
const nothing = { dimension: "", factor: 1, least: 1, most: 0, excludesLeast: false, excludesMost: false };

/** The filters with ranges as numbers in base units. A range of what is no numeric attribute finds nothing. */
export function resolveRanges(readers: readonly SegmentReader[], filters: SearchFilters): SearchFilters {
  const { ranges, measures, always, source } = filters;
  if (ranges === undefined && measures === undefined && always?.ranges === undefined) return filters;
  const bounds = (list: readonly AttributeRange[] = []) =>
    list.map((range) => toBounds(readers, range, source));
  return {
    ...filters,
    bounds: bounds(ranges),
    ...(measures && { measureBounds: measures.map((range) => toMeasureBounds(readers, range, source)) }),
    ...(always !== undefined && { always: { ...always, bounds: bounds(always.ranges) } }),
  };
}

/** The names of the attributes whose numbers have the unit, or another one of its dimension. */
export function attributesInUnit(
  readers: readonly SegmentReader[],
  unit: string,
  source: number | undefined,
): readonly string[] {
  const { dimension } = unitOf(unit);
  const names = new Map(
    readers.flatMap(({ segment }) => attributesIn(segment).map(({ key, name }) => [key, name] as const)),
  );
  return [...names.values()].filter(
    (name) => dimension !== "" && numericAttribute(readers, name, source)?.dimension === dimension,
  );
}

function toMeasureBounds(
  readers: readonly SegmentReader[],
  { unit, min, max }: MeasureRange,
  source: number | undefined,
): NumberBounds[] {
  return attributesInUnit(readers, unit, source).map((name) =>
    toBounds(
      readers,
      {
        name,
        ...(min !== undefined && { min: { value: min, unit } }),
        ...(max !== undefined && { max: { value: max, unit } }),
      },
      source,
    ),
  );
}

/** The numbers that are not within the bounds. */
export function outsideOf(bounds: NumberBounds): NumberBounds[] {
  const { least, most, excludesLeast, excludesMost } = bounds;
  const below = { ...bounds, least: Number.NEGATIVE_INFINITY, most: least, excludesMost: !excludesLeast };
  const above = { ...bounds, least: most, most: Number.POSITIVE_INFINITY, excludesLeast: !excludesMost };
  return [...(Number.isFinite(least) ? [below] : []), ...(Number.isFinite(most) ? [above] : [])];
}

function toBounds(
  readers: readonly SegmentReader[],
  range: AttributeRange,
  source: number | undefined,
): NumberBounds {
  const numeric = numericAttribute(readers, range.name, source);
  return numeric === undefined ? { ...nothing, key: attributeKey(range.name) } : boundsOf(range, numeric);
}

function boundsOf({ min, max }: AttributeRange, numeric: NumericAttribute): NumberBounds {
  const { key, dimension, factor } = numeric;
  const least = baseOf(numeric, min, Number.NEGATIVE_INFINITY);
  const most = baseOf(numeric, max, Number.POSITIVE_INFINITY);
  if (least === undefined || most === undefined) return { ...nothing, key };
  return {
    key,
    dimension,
    factor,
    least,
    most,
    excludesLeast: min?.isExcluded ?? false,
    excludesMost: max?.isExcluded ?? false,
  };
}

/** Undefined for a unit of another dimension. */
function baseOf(
  { dimension, factor }: NumericAttribute,
  bound: RangeBound | undefined,
  open: number,
): number | undefined {
  if (bound === undefined) return open;
  if (bound.unit === undefined) return scaled(bound.value, factor);
  const unit = unitOf(bound.unit);
  return unit.dimension === dimension ? scaled(bound.value, unit.factor) : undefined;
}

function isWithin(
  { least, most, excludesLeast, excludesMost }: NumberBounds,
  number: number | undefined,
): boolean {
  if (number === undefined) return false;
  return (
    (excludesLeast ? number > least : number >= least) && (excludesMost ? number < most : number <= most)
  );
}

/** Without an index: whether a product has a number in the range, where most of its source have the unit. */
export function hasNumberWithin(
  range: AttributeRange,
  unit: string,
  attributes: Readonly<Record<string, readonly string[]>>,
): boolean {
  const key = attributeKey(range.name);
  const bounds = boundsOf(range, { key, unit, ...unitOf(unit) });
  return Object.entries(attributes).some(
    ([name, values]) =>
      attributeKey(name) === key &&
      values.some((value) => isWithin(bounds, numberOf(bounds, readMeasure(value)))),
  );
}

/** A filter on a range of an attribute, or of several in one unit. */
interface RangeCondition extends Pick<TagCondition, "kind" | "id"> {
  passing(segment: Segment): TaggedDocuments;
  /** To look at a few documents alone; undefined if that cannot tell. */
  places(segment: Segment): PlaceRange | undefined;
}

/** A document passes if a number of it is within the bounds. */
function rangeConditions({ bounds = [], measureBounds = [] }: SearchFilters): RangeCondition[] {
  const condition = (kind: FilterKey, within: readonly NumberBounds[]): RangeCondition => ({
    kind,
    id: `range ${kind} ${JSON.stringify(within)}`,
    passing: (segment) => documentsWithin(segment, within),
    places: (segment) => {
      const [only, second] = within;
      return only === undefined || second !== undefined || kind === "not"
        ? undefined
        : placesWithin(segment, only);
    },
  });
  return [
    ...bounds.map((one) => condition(one.key, [one])),
    ...measureBounds.flatMap((all) => [condition("measures", all), condition("not", all.flatMap(outsideOf))]),
  ];
}

/** The least and the greatest number, in the attribute's unit. Undefined without a number. */
export function rangeOfMeasures(
  numeric: NumericAttribute | undefined,
  measures: Iterable<Measure | undefined>,
): NumberRange | undefined {
  if (numeric === undefined) return undefined;
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const measure of measures) {
    const number = numberOf(numeric, measure);
    if (number === undefined) continue;
    least = Math.min(least, number);
    most = Math.max(most, number);
  }
  if (least > most) return undefined;
  const inUnit = (number: number) => scaled(number, 1 / numeric.factor);
  return { min: inUnit(least), max: inUnit(most), unit: numeric.unit };
}

/** The documents of a segment, live or deleted, that pass a filter on categories or on an attribute. */
export interface TagFilter {
  readonly kind: FilterKey;
  passing(): TaggedDocuments;
  /** To look at a few documents alone; undefined if that cannot tell. */
  places(): PlaceRange | undefined;
}

export function tagFilters(reader: SegmentReader, filters: SearchFilters): TagFilter[] {
  const conditions = [...tagConditions(filters), ...rangeConditions(filters)];
  if (conditions.length === 0) return [];
  // A value and a range of one attribute are one filter, which the facet of the attribute ignores.
  return Array.from(
    Map.groupBy(conditions, ({ kind, id }) => (isOfAttribute(kind) ? kind : id)).values(),
    (those) => {
      const [first, second] = those;
      let known: TaggedDocuments | undefined;
      return {
        kind: first?.kind ?? "not",
        passing: () => {
          known ??= those.map((condition) => documentsPassing(reader, condition)).reduce(both);
          return known;
        },
        places: () =>
          first !== undefined && second === undefined && "places" in first
            ? first.places(reader.segment)
            : undefined,
      };
    },
  );
}

function isOfAttribute(kind: FilterKey): boolean {
  return kind.startsWith("attribute ");
}

function both(one: TaggedDocuments, other: TaggedDocuments): TaggedDocuments {
  return taggedSet(one.bits.map((byte, i) => byte & (other.bits[i] ?? 0)));
}

/** Customers choose the same few values again and again. */
export function documentsPassing(
  { segment, state }: SegmentReader,
  condition: TagCondition | RangeCondition,
): TaggedDocuments {
  return state.tagged.get(condition.id, () => {
    const passing =
      "marks" in condition ? findTagged(segment, condition.marks(segment)) : condition.passing(segment);
    return condition.kind === "not" ? complement(passing, segment.documents) : passing;
  });
}

/**
 * An inner loop: plain indexing, no closures, no allocation. The tags of a document ascend: what comes after the last tag of
 * the condition is not read, which for categories is nearly all.
 */
function findTagged({ documents, sections }: Segment, marks: Uint8Array): TaggedDocuments {
  const { tagRows } = sections;
  const { tagStarts } = sections;
  const last = marks.lastIndexOf(1);
  // Whole words: what reads the set reads 32 documents at once.
  const bits = new Uint8Array(((documents + 31) >>> 5) << 2);
  let count = 0;
  if (last < 0) return { bits, count };
  for (let doc = 0; doc < documents; doc++) {
    if (doc % checkedAtOnce === 0) checkTime();
    const end = tagStarts[doc + 1] ?? 0;
    for (let at = tagStarts[doc] ?? 0; at < end; at++) {
      const tag = tagRows[at] ?? 0;
      if (tag > last) break;
      if (marks[tag] !== 1) continue;
      bits[doc >>> 3] = (bits[doc >>> 3] ?? 0) | (1 << (doc & 7));
      count++;
      break;
    }
  }
  return { bits, count };
}

/** All the other documents. */
function complement({ bits, count }: TaggedDocuments, documents: number): TaggedDocuments {
  for (let i = 0; i < bits.length; i++) bits[i] = ~(bits[i] ?? 0);
  for (let doc = documents; doc < bits.length << 3; doc++)
    bits[doc >>> 3] = (bits[doc >>> 3] ?? 0) & ~(1 << (doc & 7));
  return { bits, count: documents - count };
}

/** The documents of all the sets, without the hidden ones. Ascending. */
export function taggedDocuments(sets: readonly TaggedDocuments[], hidden?: Deletions): Uint32Array {
  const docs = new Uint32Array(Math.min(...sets.map(({ count }) => count)));
  const [first = new Uint32Array(), ...others] = sets.map(
    ({ bits }) => new Uint32Array(bits.buffer, bits.byteOffset, bits.length >>> 2),
  );
  let count = 0;
  // An inner loop: plain indexing.
  for (let word = 0; word < first.length; word++) {
    let left = first[word] ?? 0;
    for (let set = 0; set < others.length; set++) left &= others[set]?.[word] ?? 0;
    if (left !== 0 && hidden !== undefined) left &= ~hiddenWord(hidden, word);
    for (; left !== 0; left &= left - 1) docs[count++] = (word << 5) + 31 - Math.clz32(left & -left);
  }
  return docs.subarray(0, count);
}

function hiddenWord(hidden: Deletions, word: number): number {
  const at = word << 2;
  return (
    (hidden[at] ?? 0) |
    ((hidden[at + 1] ?? 0) << 8) |
    ((hidden[at + 2] ?? 0) << 16) |
    ((hidden[at + 3] ?? 0) << 24)
  );
}
