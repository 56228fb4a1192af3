import type { FacetRange, FilterKey, RangeKind } from "../search/search-query.ts";
import type { Postings } from "../segment/postings.ts";
import type { Segment } from "../segment/segment.ts";
import { pricesOf } from "../segment/segment-layout.ts";
import { stringCount } from "../segment/string-table.ts";

/** The lower bounds of price classes: round numbers about a quarter apart, up to the largest possible price. */
const priceSteps = stepsUpTo(1e15);
/** Ratings for which "and above" is offered. */
const ratingSteps = [1, 2, 3, 4, 4.5] as const;
const greatestRating = 5;

const ratingBits = 3;
export const ratingClasses = 1 << ratingBits;
const priceClasses = priceSteps.length + 1;
/** One number for both: a document's class of price and of rating. */
export const valueClassCount = priceClasses * ratingClasses;

const classesOf = new WeakMap<Segment, Uint16Array>();

/** The class of each document, computed on first use. */
export function valueClasses(segment: Segment): Uint16Array {
  const known = classesOf.get(segment);
  if (known !== undefined) return known;
  const { ratings } = segment.sections;
  const prices = pricesOf(segment.sections);
  const classes = new Uint16Array(segment.documents);
  for (let doc = 0; doc < classes.length; doc++) {
    classes[doc] = documentValueClass(prices[doc] ?? 0, ratings[doc] ?? 0);
  }
  classesOf.set(segment, classes);
  return classes;
}

export function documentValueClass(price: number, rating: number): number {
  return (stepsReached(priceSteps, price) << ratingBits) | stepsReached(ratingSteps, rating);
}

/** The lowest and the highest price of a class. */
function priceClass(index: number): { from: number; to: number } {
  return { from: priceSteps[index - 1] ?? 0, to: (priceSteps[index] ?? Number.MAX_SAFE_INTEGER) - 1 };
}

function stepsUpTo(most: number): number[] {
  const steps: number[] = [];
  for (let power = 1; power <= most; power *= 10)
    for (const step of [1, 1.5, 2, 3, 4, 5, 7.5])
      if (Number.isInteger(step * power)) steps.push(step * power);
  return steps;
}

/** The number of ascending steps that are not above the value. */
function stepsReached(steps: readonly number[], value: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The values of a document for all facets, side by side in eight bytes. Reading them from four columns takes twice as long,
 * because each column is another cache line.
 */
interface FacetRows {
  /** For each document: brand and class of values in one number; category, store and availability in the other. */
  readonly words: Uint32Array;
  readonly storeBits: number;
  readonly availabilityBits: number;
}

/** The counts of all facets, counted together. */
export interface AllCounts {
  readonly brands: Uint32Array;
  readonly categories: Uint32Array;
  readonly stores: Uint32Array;
  readonly values: Uint32Array;
  /** By code. */
  readonly availabilities: Uint32Array;
}

/** Counts as if the only filter did not exist: over all documents of a frequent term. */
export interface UnfilteredCounts {
  readonly kind: FilterKey;
  readonly counts: AllCounts;
  readonly postings: Postings;
}

/** The codes of availability are bytes. */
export const availabilityCodes = 256;

const valueBits = bitsFor(priceClasses * ratingClasses);
const valueMask = (1 << valueBits) - 1;

const rowsOf = new WeakMap<Segment, FacetRows | "too wide">();

/** Counts all facets over these documents; undefined if a segment has too many names for the rows. */
export function countRows(segment: Segment, docs: Uint32Array, documents: number): AllCounts | undefined {
  const rows = rowsOf.get(segment) ?? makeRows(segment);
  rowsOf.set(segment, rows);
  if (rows === "too wide") return undefined;
  const brands = new Uint32Array(stringCount(segment.brands));
  const categories = new Uint32Array(stringCount(segment.categories));
  const stores = new Uint32Array(stringCount(segment.stores));
  const values = new Uint32Array(priceClasses * ratingClasses);
  const { words, storeBits, availabilityBits } = rows;
  const availabilities = new Uint32Array(availabilityCodes);
  const storeMask = 2 ** storeBits - 1;
  const availabilityMask = 2 ** availabilityBits - 1;
  // An inner loop: plain indexing, no closures, no allocation.
  for (let i = 0; i < documents; i++) {
    const at = (docs[i] ?? 0) * 2;
    const first = words[at] ?? 0;
    const second = words[at + 1] ?? 0;
    const brand = first >>> valueBits;
    const value = first & valueMask;
    const availability = second & availabilityMask;
    const store = (second >>> availabilityBits) & storeMask;
    const category = second >>> (availabilityBits + storeBits);
    brands[brand] = (brands[brand] ?? 0) + 1;
    values[value] = (values[value] ?? 0) + 1;
    categories[category] = (categories[category] ?? 0) + 1;
    stores[store] = (stores[store] ?? 0) + 1;
    availabilities[availability] = (availabilities[availability] ?? 0) + 1;
  }
  return { brands, categories, stores, values, availabilities };
}

function makeRows(segment: Segment): FacetRows | "too wide" {
  const { brands, categories, stores, availabilities } = segment.sections;
  const storeBits = bitsFor(stringCount(segment.stores));
  const categoryBits = bitsFor(stringCount(segment.categories));
  const availabilityBits = bitsFor(1 + availabilities.reduce((most, code) => Math.max(most, code), 0));
  const isWide = storeBits + categoryBits + availabilityBits > 31;
  if (isWide || bitsFor(stringCount(segment.brands)) + valueBits > 32) return "too wide";
  const values = valueClasses(segment);
  const words = new Uint32Array(2 * segment.documents);
  for (let doc = 0; doc < segment.documents; doc++) {
    const store = ((categories[doc] ?? 0) << storeBits) | (stores[doc] ?? 0);
    words[2 * doc] = ((brands[doc] ?? 0) << valueBits) | (values[doc] ?? 0);
    words[2 * doc + 1] = (store << availabilityBits) | (availabilities[doc] ?? 0);
  }
  return { words, storeBits, availabilityBits };
}

/** The number of bits for the numbers below `count`. */
function bitsFor(count: number): number {
  return Math.ceil(Math.log2(Math.max(2, count)));
}

const maxPriceRanges = 8;

const rangesOf: Record<RangeKind, (byClass: Float64Array) => FacetRange[]> = {
  price: priceRanges,
  rating: ratingRanges,
};

/** The ranges of a facet, from the number of documents in each class of values, as another engine counted them. */
export function facetRanges(
  kind: RangeKind,
  counts: Iterable<readonly [valueClass: number, documents: number]>,
): FacetRange[] {
  const byClass = new Float64Array(valueClassCount);
  for (const [valueClass, documents] of counts) byClass[valueClass] = documents;
  return rangesOf[kind](byClass);
}

/** For each class of values, 1 if it is in the range of a facet. */
export function classesInRange(kind: RangeKind, { from, to }: FacetRange): Uint32Array {
  return Uint32Array.from({ length: valueClassCount }, (_, number) => {
    const value =
      kind === "price"
        ? priceClass(Math.floor(number / ratingClasses)).from
        : (ratingSteps[(number % ratingClasses) - 1] ?? 0);
    return from <= value && value <= to ? 1 : 0;
  });
}

/** For each class of values, the place of its price's range from 1 on; 0 if it is in none. */
export function rangeOfClasses(ranges: readonly FacetRange[]): Uint32Array {
  const places = new Uint32Array(valueClassCount);
  let range = 0;
  for (let number = 0; number < priceClasses; number++) {
    const { from } = priceClass(number);
    while (from > (ranges[range]?.to ?? Number.POSITIVE_INFINITY)) range++;
    if (from >= (ranges[range]?.from ?? Number.POSITIVE_INFINITY))
      places.fill(range + 1, number * ratingClasses, (number + 1) * ratingClasses);
  }
  return places;
}

/** Joins adjacent price classes, so that each range has about the same share of the documents. */
export function priceRanges(byClass: Float64Array): FacetRange[] {
  const counts = new Float64Array(priceClasses);
  let total = 0;
  for (let number = 0; number < byClass.length; number++) {
    const documents = byClass[number] ?? 0;
    const price = Math.floor(number / ratingClasses);
    counts[price] = (counts[price] ?? 0) + documents;
    total += documents;
  }
  const ranges: FacetRange[] = [];
  let open: FacetRange | undefined;
  for (const [index, documents] of counts.entries()) {
    if (documents === 0) continue;
    const { from, to } = priceClass(index);
    open = { from: open?.from ?? from, to, count: (open?.count ?? 0) + documents };
    if (open.count * maxPriceRanges < total) continue;
    ranges.push(open);
    open = undefined;
  }
  return open === undefined ? ranges : [...ranges, open];
}

/** Documents with at least each rating. */
export function ratingRanges(byClass: Float64Array): FacetRange[] {
  const counts = new Float64Array(ratingClasses);
  for (let number = 0; number < byClass.length; number++) {
    const rating = number % ratingClasses;
    counts[rating] = (counts[rating] ?? 0) + (byClass[number] ?? 0);
  }
  let count = 0;
  const ranges: FacetRange[] = [];
  for (let step = ratingSteps.length; step > 0; step--) {
    count += counts[step] ?? 0;
    const from = ratingSteps[step - 1] ?? 0;
    if (count > 0) ranges.push({ from, to: greatestRating, count });
  }
  return ranges;
}
