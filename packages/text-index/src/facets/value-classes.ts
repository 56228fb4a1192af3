import type { Segment } from "../segment/segment.ts";

/** The lower bounds of price classes: round numbers about a quarter apart, up to the largest possible price. */
const priceSteps = stepsUpTo(1e15);
/** Ratings for which "and above" is offered. */
export const ratingSteps = [1, 2, 3, 4, 4.5] as const;
export const greatestRating = 5;

const ratingBits = 3;
export const ratingClasses = 1 << ratingBits;
export const priceClasses = priceSteps.length + 1;
/** One number for both: a document's class of price and of rating. */
export const valueClassCount = priceClasses * ratingClasses;

const classesOf = new WeakMap<Segment, Uint32Array>();

/** The class of each document, computed on first use. */
export function valueClasses(segment: Segment): Uint32Array {
  const known = classesOf.get(segment);
  if (known !== undefined) return known;
  const { prices, ratings } = segment.sections;
  const classes = new Uint32Array(segment.documents);
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
export function priceClass(index: number): { from: number; to: number } {
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
