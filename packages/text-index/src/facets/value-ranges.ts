import type { FacetRange, RangeKind } from "../search/search-query.ts";
import {
  greatestRating,
  priceClass,
  priceClasses,
  ratingClasses,
  ratingSteps,
  valueClassCount,
} from "./facet-rows.ts";

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
