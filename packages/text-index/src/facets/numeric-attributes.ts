import { BoundedCache } from "../bounded-cache.ts";
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
import type { NumberColumn } from "../segment/index-document.ts";
import type { Segment } from "../segment/segment.ts";
import { columnOf } from "../segment/segment-layout.ts";
import { stringCount } from "../segment/string-table.ts";
import { type Measure, readMeasure, scaled, unitOf } from "../text/measure.ts";
import {
  type AttributeTags,
  attributeKey,
  attributesIn,
  type TagCondition,
  tagValue,
} from "./segment-tags.ts";

// The numbers of attributes take no memory of their own: each is a tag, and the number of a tag is read once.

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

const measuresOf = new WeakMap<Segment, Map<number, readonly (Measure | undefined)[]>>();

/** The numbers of the values of an attribute, by their place from its first tag. */
function measuresIn(segment: Segment, { from, to }: Pick<AttributeTags, "from" | "to">) {
  const known = measuresOf.get(segment) ?? new Map<number, readonly (Measure | undefined)[]>();
  measuresOf.set(segment, known);
  const measures =
    known.get(from) ?? Array.from({ length: to - from }, (_, i) => readMeasure(tagValue(segment, from + i)));
  known.set(from, measures);
  return measures;
}

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
      const holders = tagHolders(segment, source);
      measuresIn(segment, attribute).forEach((measure, i) => {
        const documents = holders[attribute.from + i] ?? 0;
        all += documents;
        if (measure !== undefined) byUnit.set(measure.unit, (byUnit.get(measure.unit) ?? 0) + documents);
      });
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

/** In the base unit of the attribute; undefined for what is no number of it. */
export function numberOf(
  { dimension, factor }: Pick<NumericAttribute, "dimension" | "factor">,
  measure: Measure | undefined,
): number | undefined {
  if (measure === undefined) return undefined;
  if (measure.dimension === dimension) return measure.value;
  return measure.dimension === "" ? scaled(measure.value, factor) : undefined;
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

/** A document passes if a number of it is within the bounds. */
export function rangeConditions({ bounds = [], measureBounds = [] }: SearchFilters): TagCondition[] {
  const condition = (kind: FilterKey, within: readonly NumberBounds[]): TagCondition => ({
    kind,
    id: `range ${kind} ${JSON.stringify(within)}`,
    marks: (segment) => marksWithin(segment, within),
  });
  return [
    ...bounds.map((one) => condition(one.key, [one])),
    ...measureBounds.flatMap((all) => [condition("measures", all), condition("not", all.flatMap(outsideOf))]),
  ];
}

/** 1 for each tag whose number is within one of the bounds. */
function marksWithin(segment: Segment, all: readonly NumberBounds[]): Uint8Array {
  const marks = new Uint8Array(stringCount(segment.tags));
  for (const attribute of attributesIn(segment))
    for (const bounds of all) {
      if (attribute.key !== bounds.key) continue;
      measuresIn(segment, attribute).forEach((measure, i) => {
        if (isWithin(bounds, numberOf(bounds, measure))) marks[attribute.from + i] = 1;
      });
    }
  return marks;
}

/** Beyond all numbers: documents without one come last under both orders. */
const beyond = Number.MAX_VALUE;
const keptColumns = 8;
const columnsOf = new WeakMap<Segment, BoundedCache<string, Float64Array>>();

/** The number of each document, the lowest of several in ascending order, else the highest. */
export function numberColumn(
  segment: Segment,
  numeric: NumericAttribute | undefined,
  order: "asc" | "desc",
): Float64Array {
  const known = columnsOf.get(segment) ?? new BoundedCache<string, Float64Array>(keptColumns);
  columnsOf.set(segment, known);
  return known.get(`${order} ${numeric?.key} ${numeric?.unit}`, () => fillColumn(segment, numeric, order));
}

function fillColumn(
  segment: Segment,
  numeric: NumericAttribute | undefined,
  order: "asc" | "desc",
): Float64Array {
  const { documents, tags, sections } = segment;
  const { tagRows, tagStarts } = sections;
  const none = order === "asc" ? beyond : -beyond;
  const numbers = new Float64Array(stringCount(tags)).fill(none);
  for (const attribute of attributesIn(segment)) {
    if (numeric === undefined || attribute.key !== numeric.key) continue;
    measuresIn(segment, attribute).forEach((measure, i) => {
      numbers[attribute.from + i] = numberOf(numeric, measure) ?? none;
    });
  }
  const column = new Float64Array(documents).fill(none);
  // An inner loop: plain indexing.
  for (let doc = 0; doc < documents; doc++) {
    const end = tagStarts[doc + 1] ?? 0;
    for (let at = tagStarts[doc] ?? 0; at < end; at++) {
      const number = numbers[tagRows[at] ?? 0] ?? none;
      const best = column[doc] ?? none;
      if (number !== none && (best === none || (order === "asc" ? number < best : number > best)))
        column[doc] = number;
    }
  }
  return column;
}

/** A column with values that come last for unknown ones. */
export function unknownLast(segment: Segment, name: NumberColumn, order: "asc" | "desc"): Float64Array {
  const known = columnsOf.get(segment) ?? new BoundedCache<string, Float64Array>(keptColumns);
  columnsOf.set(segment, known);
  const none = order === "asc" ? beyond : -beyond;
  return known.get(`${order} ${name}`, () =>
    Float64Array.from(columnOf(segment.sections, name), (value) => (Number.isNaN(value) ? none : value)),
  );
}

/** The least and the greatest number of the values, in the attribute's unit. Undefined without a number. */
export function rangeOfValues(
  numeric: NumericAttribute | undefined,
  values: Iterable<string>,
): NumberRange | undefined {
  if (numeric === undefined) return undefined;
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    const number = numberOf(numeric, readMeasure(value));
    if (number === undefined) continue;
    least = Math.min(least, number);
    most = Math.max(most, number);
  }
  if (least > most) return undefined;
  const inUnit = (number: number) => scaled(number, 1 / numeric.factor);
  return { min: inUnit(least), max: inUnit(most), unit: numeric.unit };
}
