import { type Matches, settle } from "../search/matches.ts";
import type { FilterKey } from "../search/search-query.ts";
import type { Segment } from "../segment/segment.ts";
import type { Column, Numbers } from "../segment/segment-layout.ts";
import type { TaggedDocuments } from "../segment/tags.ts";
import { checkTime } from "../time-limit.ts";

/**
 * A filter on the values of a facet: documents pass if they have one of the names or tags, or a value within the
 * bounds.
 */
export type OwnFilter =
  | { readonly kind: FilterKey; readonly column: Numbers; readonly accepted: Uint8Array }
  | { readonly kind: FilterKey; passing(): TaggedDocuments }
  | {
      readonly kind: FilterKey;
      readonly column: Column;
      readonly least: number;
      readonly most: number;
    };

/** Documents that fail only one filter. */
export type NearMisses = ReadonlyMap<FilterKey, Uint32Array>;

export const noNearMisses: NearMisses = new Map();

/** One bit of a number for each filter. */
const maxOwnFilters = 32;

const failsOf = new WeakMap<Segment, Uint32Array>();

/**
 * Keeps the documents that pass all filters, and returns separately those that fail exactly one. With these, a facet is
 * counted as if its own filter did not exist. This takes one search instead of one per filter.
 */
export function splitByOwnFilters(
  segment: Segment,
  matches: Matches,
  filters: readonly OwnFilter[],
): NearMisses {
  settle(matches);
  if (filters.length > maxOwnFilters)
    throw new RangeError(
      `Facets ignore at most ${maxOwnFilters} filters of their own, not ${filters.length}.`,
    );
  const fails = failsOf.get(segment) ?? new Uint32Array(segment.documents);
  failsOf.set(segment, fails);
  fails.fill(0, 0, matches.count);
  filters.forEach((filter, place) => {
    checkTime();
    if ("accepted" in filter) markUnwanted(fails, matches, filter.column, filter.accepted, 1 << place);
    else if ("passing" in filter) markUnset(fails, matches, filter.passing().bits, 1 << place);
    else markOutside(fails, matches, filter.column, filter.least, filter.most, 1 << place);
  });
  const misses = filters.map(({ kind }, place): [FilterKey, Uint32Array] => [
    kind,
    documentsFailing(fails, matches, (1 << place) >>> 0),
  ]);
  keepPassing(fails, matches);
  return new Map(misses);
}

// As in search/matches.ts: plain indexing, no closures, no allocation.

function markUnset(fails: Uint32Array, { docs, count }: Matches, bits: Uint8Array, bit: number): void {
  for (let i = 0; i < count; i++) {
    const doc = docs[i] ?? 0;
    if ((((bits[doc >>> 3] ?? 0) >>> (doc & 7)) & 1) === 0) fails[i] = (fails[i] ?? 0) | bit;
  }
}

function markUnwanted(
  fails: Uint32Array,
  { docs, count }: Matches,
  column: Numbers,
  accepted: Uint8Array,
  bit: number,
): void {
  for (let i = 0; i < count; i++)
    if (accepted[column[docs[i] ?? 0] ?? 0] !== 1) fails[i] = (fails[i] ?? 0) | bit;
}

function markOutside(
  fails: Uint32Array,
  { docs, count }: Matches,
  column: Column,
  least: number,
  most: number,
  bit: number,
): void {
  for (let i = 0; i < count; i++) {
    const value = column[docs[i] ?? 0] ?? 0;
    if (!(value >= least && value <= most)) fails[i] = (fails[i] ?? 0) | bit;
  }
}

function documentsFailing(fails: Uint32Array, { docs, count }: Matches, bit: number): Uint32Array {
  checkTime();
  let failing = 0;
  for (let i = 0; i < count; i++) if (fails[i] === bit) failing++;
  const found = new Uint32Array(failing);
  let at = 0;
  for (let i = 0; at < failing; i++) if (fails[i] === bit) found[at++] = docs[i] ?? 0;
  return found;
}

function keepPassing(fails: Uint32Array, matches: Matches): void {
  checkTime();
  const { docs, scores, count } = matches;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    docs[kept] = docs[i] ?? 0;
    scores[kept] = scores[i] ?? 0;
    if (fails[i] === 0) kept++;
  }
  matches.count = kept;
}
