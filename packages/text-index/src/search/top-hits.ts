import { blockBits, blockEnd, placeInBlock } from "../segment/packed-postings.ts";
import { type Postings, TermPostings } from "../segment/postings.ts";
import { isDeleted } from "../segment/segment.ts";
import type { Column } from "../segment/segment-layout.ts";
import { checkTime } from "../time-limit.ts";
import { type Deferred, type Matches, passageOf } from "./matches.ts";

/** With a smaller limit than this, skipping blocks is faster than counting. */
const countedFrom = 512;

const minBuffer = 1024;
/** With more sets than these, the time is checked after so many documents, which is about a block. */
const fewSets = 8;
const atOnceWithSets = 128;
/** The product of factors depends on their order by less than this. */
const inexact = 1 + 2 ** -40;

/** How much a score may grow when it is rounded to a thousandth. */
const mostRounding = 0.001;

/** Scores with factors are rounded, which keeps their order: bounds are compared rounded as well. */
function toThousandths(score: number): number {
  return Math.round(score * 1000) / 1000;
}

interface DocumentSet {
  readonly bits: Uint8Array;
  readonly factor: number;
}

/** The documents that come after all others: those whose code is this one. */
export interface LastDocuments {
  readonly codes: Uint8Array;
  readonly code: number;
}

function isLast({ codes, code }: LastDocuments, doc: number): boolean {
  return codes[doc] === code;
}

/**
 * What their scores are lowered by. Greater than any score, and small enough that a thousandth is kept exactly: numbers
 * have 53 bits.
 */
export const lastStep = 2 ** 38;

/** The product of the factors of the sets that a document is in. */
export function factorIn(sets: readonly DocumentSet[], doc: number): number {
  let product = 1;
  for (let i = 0; i < sets.length; i++) {
    const set = sets[i];
    if (set !== undefined && isInSet(set.bits, doc)) product *= set.factor;
  }
  return product;
}

/**
 * Keeps the best `limit` of documents that are offered in ascending order. The best have the largest primary key,
 * then the largest secondary key, then were offered first. A buffer of twice the size is reduced by quickselect
 * whenever it is full. This takes linear time for any limit, so deep pages are not slower. The next search uses the same
 * arrays: to allocate them costs more than to rank a page.
 */
export class TopHits {
  #limit = 0;
  /** The buffer is full with this many; the arrays may be longer. */
  #capacity = 0;
  primary = new Float64Array(minBuffer);
  secondary = new Int32Array(minBuffer);
  docs = new Uint32Array(minBuffer);
  count = 0;
  #floorPrimary = Number.NEGATIVE_INFINITY;
  #floorSecondary = 0;
  /** For `offerDeferred`: how often each impact was kept. */
  readonly #counts = new Uint32Array(256);

  /** Starts again without documents. At most `stream` will be offered. */
  start(limit: number, stream: number): void {
    this.#limit = limit;
    this.count = 0;
    this.#floorPrimary = Number.NEGATIVE_INFINITY;
    this.#floorSecondary = 0;
    this.#capacity = Math.min(limit * 2, stream) + 1;
    if (this.#capacity <= this.primary.length) return;
    this.primary = new Float64Array(this.#capacity);
    this.secondary = new Int32Array(this.#capacity);
    this.docs = new Uint32Array(this.#capacity);
  }

  /** Ranks by score, in ascending order with `sign` −1. */
  offerScores({ docs, scores, count }: Matches, sign: 1 | -1, last?: LastDocuments): void {
    for (let i = 0; i < count; i++) {
      const primary = sign * (scores[i] ?? 0);
      // Of equal documents, the earlier one is better.
      if (primary > this.#floorPrimary) this.#pushOrLower(primary, docs[i] ?? 0, last);
    }
  }

  /** The same with a factor for each, rounded to a thousandth. */
  offerFactored(
    { docs, scores, count }: Matches,
    sign: 1 | -1,
    factors: Float64Array,
    last?: LastDocuments,
  ): void {
    for (let i = 0; i < count; i++) {
      const primary = (sign * Math.round((scores[i] ?? 0) * (factors[i] ?? 1) * 1000)) / 1000;
      if (primary > this.#floorPrimary) this.#pushOrLower(primary, docs[i] ?? 0, last);
    }
  }

  /**
   * The same with the factors of all sets that a document is in. Blocks in which nothing can be better are skipped. With a
   * hundred sets a pass over 100,000 documents takes 50 to 300 ms, so the time is checked on the way.
   */
  offerWithSets(
    { docs, scores, count, deferred }: Matches,
    sets: readonly DocumentSet[],
    last?: LastDocuments,
  ): void {
    const most = sets.reduce(
      (product, { factor }) => product * Math.max(1, factor),
      sets.length > 0 ? inexact : 1,
    );
    const takesLong = sets.length > fewSets;
    if (deferred === undefined) {
      for (let i = 0; i < count; i++) {
        if (takesLong && i % atOnceWithSets === 0) checkTime();
        this.#offerInSets(scores[i] ?? 0, docs[i] ?? 0, most, sets, last);
      }
      return;
    }
    const { postings, weight, deletions } = deferred;
    const { impacts, start, end } = postings;
    const blocks = new BlockReader(postings);
    for (let at = start; at < end; ) {
      const stop = Math.min(end, blockEnd(at));
      if (takesLong) checkTime();
      if (toThousandths(blocks.mostAt(at) * weight * most) <= this.#floorPrimary) {
        at = stop;
        continue;
      }
      const inBlock = blocks.docsAt(at);
      for (; at < stop; at++) {
        const doc = inBlock[at & blocks.mask] ?? 0;
        if (deletions === undefined || !isDeleted(deletions, doc))
          this.#offerInSets((impacts[at] ?? 0) * weight, doc, most, sets, last);
      }
    }
  }

  #offerInSets(
    score: number,
    doc: number,
    most: number,
    sets: readonly DocumentSet[],
    last: LastDocuments | undefined,
  ): void {
    // To round takes longer than to multiply.
    if (score * most + mostRounding <= this.#floorPrimary) return;
    const primary = toThousandths(score * factorIn(sets, doc));
    if (primary > this.#floorPrimary) this.#pushOrLower(primary, doc, last);
  }

  #pushOrLower(primary: number, doc: number, last: LastDocuments | undefined): void {
    if (last === undefined || !isLast(last, doc)) this.#push(primary, 0, doc);
    else if (primary - lastStep > this.#floorPrimary) this.#push(primary - lastStep, 0, doc);
  }

  /** Ranks one list by its impacts, starting without hits. Without those of `left`, if it is given. */
  offerDeferred(deferred: Deferred, left?: LastDocuments): void {
    if (this.#limit > countedFrom) this.#offerCounted(deferred, left);
    else this.#offerBlocks(deferred, left);
  }

  /** The same with documents that come last: most pages have none of them. */
  offerWithLast(matches: Matches, deferred: Deferred, last: LastDocuments): void {
    this.offerDeferred(deferred, last);
    if (this.count >= this.#limit) return;
    this.start(this.#limit, matches.count);
    this.offerWithSets(matches, [], last);
  }

  /** Skips blocks in which nothing can be better: in a long list these are nearly all. */
  #offerBlocks({ postings, weight, deletions }: Deferred, left: LastDocuments | undefined): void {
    const { impacts, start, end } = postings;
    const blocks = new BlockReader(postings);
    const limit = this.#limit;
    const counts = this.#counts.fill(0);
    // The floor is exact after each document, so few are kept, and the buffer need not be reduced.
    this.#capacity = this.primary.length;
    // At least `limit` documents have this impact or a greater one; fewer have a greater one.
    let floor = 0;
    let above = 0;
    for (let at = start; at < end; ) {
      const stop = Math.min(end, blockEnd(at));
      if (blocks.mostAt(at) <= floor) {
        at = stop;
        continue;
      }
      const docs = blocks.docsAt(at);
      for (; at < stop; at++) {
        const impact = impacts[at] ?? 0;
        if (impact <= floor) continue;
        const doc = docs[at & blocks.mask] ?? 0;
        if (deletions !== undefined && isDeleted(deletions, doc)) continue;
        if (left !== undefined && isLast(left, doc)) continue;
        this.#push(impact * weight, 0, doc);
        counts[impact] = (counts[impact] ?? 0) + 1;
        for (above++; above >= limit && floor < 255; ) above -= counts[++floor] ?? 0;
      }
    }
    if (this.count > limit) this.#dropBelow(floor * weight, limit - above);
  }

  /** Keeps the documents above the floor, and of those on it so many, the first ones: what `#cut` does in several passes. */
  #dropBelow(floor: number, onFloor: number): void {
    let kept = 0;
    let room = onFloor;
    for (let i = 0; i < this.count; i++) {
      const primary = this.primary[i] ?? 0;
      if (primary < floor || (primary === floor && room-- <= 0)) continue;
      this.primary[kept] = primary;
      this.docs[kept++] = this.docs[i] ?? 0;
    }
    this.count = kept;
  }

  /** For deep pages: counts how often each impact occurs, then takes only documents whose impact is high enough. */
  #offerCounted({ postings, weight, deletions }: Deferred, left: LastDocuments | undefined): void {
    const { impacts, start, end } = postings;
    const counts = new Uint32Array(256);
    if (deletions === undefined && left === undefined)
      for (let at = start; at < end; at++) counts[impacts[at] ?? 0] = (counts[impacts[at] ?? 0] ?? 0) + 1;
    else {
      const { docs } = postings;
      for (let at = start; at < end; at++) {
        const impact = impacts[at] ?? 0;
        const doc = docs[at] ?? 0;
        if (deletions !== undefined && isDeleted(deletions, doc)) continue;
        if (left === undefined || !isLast(left, doc)) counts[impact] = (counts[impact] ?? 0) + 1;
      }
    }
    let least = 255;
    let room = this.#limit;
    for (; least > 0 && (counts[least] ?? 0) <= room; least--) room -= counts[least] ?? 0;
    const blocks = new BlockReader(postings);
    for (let at = start; at < end; ) {
      const stop = Math.min(end, blockEnd(at));
      if (blocks.mostAt(at) < least) {
        at = stop;
        continue;
      }
      const docs = blocks.docsAt(at);
      for (; at < stop; at++) {
        const impact = impacts[at] ?? 0;
        if (impact < least || (impact === least && room === 0)) continue;
        const doc = docs[at & blocks.mask] ?? 0;
        if (deletions !== undefined && isDeleted(deletions, doc)) continue;
        if (left !== undefined && isLast(left, doc)) continue;
        if (impact === least) room--;
        this.#push(impact * weight, 0, doc);
      }
    }
  }

  /** Ranks by a column, and equal values by score (not if `scoreWeight` is 0). */
  offerColumn(matches: Matches, column: Column, sign: 1 | -1, scoreWeight: 0 | 1): void {
    const { from, first, count, impacts, weight } = passageOf(matches);
    for (let i = 0; i < count; i++) {
      const doc = from[first + i] ?? 0;
      const primary = sign * (column[doc] ?? 0);
      if (primary < this.#floorPrimary) continue;
      const score = impacts === undefined ? (matches.scores[i] ?? 0) : (impacts[first + i] ?? 0) * weight;
      const secondary = scoreWeight * score;
      if (primary > this.#floorPrimary || secondary > this.#floorSecondary)
        this.#push(primary, secondary, doc);
    }
  }

  /**
   * After `finish`: multiplies the scores of the documents of a set. Of all others, those that were kept are still enough, as a
   * factor of 1 or more moves none of them up. Blocks in which nothing can be better are skipped.
   */
  raise(matches: Matches, { bits, factor }: { bits: Uint8Array; factor: number }): void {
    const floor = this.count < this.#limit ? 0 : this.#least();
    this.#dropSet(bits);
    this.#floorPrimary = Number.NEGATIVE_INFINITY;
    this.#capacity = this.primary.length;
    const { deferred } = matches;
    if (deferred === undefined)
      for (let i = 0; i < matches.count; i++) {
        const score = (matches.scores[i] ?? 0) * factor;
        const doc = matches.docs[i] ?? 0;
        if (score >= floor && isInSet(bits, doc)) this.#offer(score, doc);
      }
    else {
      const { postings, weight, deletions } = deferred;
      const { impacts, start, end } = postings;
      const blocks = new BlockReader(postings);
      const least = floor / (weight * factor);
      for (let at = start; at < end; ) {
        const stop = Math.min(end, blockEnd(at));
        if (blocks.mostAt(at) < least) {
          at = stop;
          continue;
        }
        const docs = blocks.docsAt(at);
        for (; at < stop; at++) {
          const impact = impacts[at] ?? 0;
          const doc = docs[at & blocks.mask] ?? 0;
          if (impact < least || !isInSet(bits, doc)) continue;
          if (deletions !== undefined && isDeleted(deletions, doc)) continue;
          this.#offer(impact * weight * factor, doc);
        }
      }
    }
    this.finish();
  }

  #offer(score: number, doc: number): void {
    const primary = toThousandths(score);
    // Also of equal ones: a kept document may be one that was offered later.
    if (primary >= this.#floorPrimary) this.#push(primary, 0, doc);
  }

  #least(): number {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.count; i++) least = Math.min(least, this.primary[i] ?? 0);
    return least;
  }

  #dropSet(bits: Uint8Array): void {
    let kept = 0;
    for (let i = 0; i < this.count; i++) if (!isInSet(bits, this.docs[i] ?? 0)) this.#swap(i, kept++);
    this.count = kept;
  }

  #push(primary: number, secondary: number, doc: number): void {
    const at = this.count++;
    this.primary[at] = primary;
    this.secondary[at] = secondary;
    this.docs[at] = doc;
    if (this.count === this.#capacity && this.count > this.#limit) this.#cut();
  }

  /** Ends the input and leaves the best `limit`, unsorted. */
  finish(): void {
    if (this.count > this.#limit) this.#cut();
  }

  #cut(): void {
    if (this.#limit === 0) {
      this.count = 0;
      return;
    }
    const last = this.#limit - 1;
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const split = this.#partition(low, high);
      if (split === last) break;
      if (split < last) low = split + 1;
      else high = split - 1;
    }
    this.count = this.#limit;
    this.#floorPrimary = this.primary[last] ?? 0;
    this.#floorSecondary = this.secondary[last] ?? 0;
  }

  /** Moves everything better than the middle element before it, and returns its position. */
  #partition(low: number, high: number): number {
    this.#swap((low + high) >>> 1, high);
    let place = low;
    for (let i = low; i < high; i++) if (this.#better(i, high)) this.#swap(i, place++);
    this.#swap(place, high);
    return place;
  }

  #better(a: number, b: number): boolean {
    const primary = (this.primary[a] ?? 0) - (this.primary[b] ?? 0);
    if (primary !== 0) return primary > 0;
    const secondary = (this.secondary[a] ?? 0) - (this.secondary[b] ?? 0);
    return secondary !== 0 ? secondary > 0 : (this.docs[a] ?? 0) < (this.docs[b] ?? 0);
  }

  #swap(a: number, b: number): void {
    const { primary, secondary, docs } = this;
    const key = primary[a] ?? 0;
    primary[a] = primary[b] ?? 0;
    primary[b] = key;
    const second = secondary[a] ?? 0;
    secondary[a] = secondary[b] ?? 0;
    secondary[b] = second;
    const doc = docs[a] ?? 0;
    docs[a] = docs[b] ?? 0;
    docs[b] = doc;
  }
}

/** Reads a list block by block. A list that was made for one query is a single block with any impact. */
class BlockReader {
  /** The document of place `at` is at `at & mask` of its block. */
  readonly mask: number;
  readonly #packed: TermPostings | undefined;
  readonly #greatest: Uint8Array | undefined;
  readonly #docs: Uint32Array;

  constructor(postings: Postings) {
    this.#packed = postings instanceof TermPostings ? postings : undefined;
    this.#greatest = this.#packed?.greatestImpacts;
    this.#docs = this.#packed === undefined ? postings.docs : noDocs;
    this.mask = this.#packed === undefined ? -1 : placeInBlock;
  }

  /** The greatest impact of the block with this place. */
  mostAt(at: number): number {
    return this.#greatest === undefined ? 255 : (this.#greatest[at >>> blockBits] ?? 0);
  }

  docsAt(at: number): Uint32Array {
    return this.#packed === undefined ? this.#docs : this.#packed.blockAround(at);
  }
}

const noDocs = new Uint32Array();

/** One bit per document. */
export function isInSet(bits: Uint8Array, doc: number): boolean {
  return ((bits[doc >>> 3] ?? 0) & (1 << (doc & 7))) !== 0;
}

/**
 * Rearranges `order[from, to)` so that its elements before `place` are the best ones, unsorted (Hoare's quickselect).
 * `compare` is negative if its first argument is better, and never 0 for two different elements.
 */
export function selectBest(
  order: Uint32Array,
  from: number,
  to: number,
  place: number,
  compare: (a: number, b: number) => number,
): void {
  let low = from;
  let high = to - 1;
  while (low < high && place > low && place <= high) {
    const pivot = order[(low + high) >>> 1] ?? 0;
    let left = low - 1;
    let right = high + 1;
    for (;;) {
      do left++;
      while (compare(order[left] ?? 0, pivot) < 0);
      do right--;
      while (compare(order[right] ?? 0, pivot) > 0);
      if (left >= right) break;
      const moved = order[left] ?? 0;
      order[left] = order[right] ?? 0;
      order[right] = moved;
    }
    if (place <= right + 1) high = right;
    else low = right + 1;
  }
}

const fewElements = 64;

/** Sorts `order[from, to)`. For the few elements of a page, insertion is faster than a call of `sort`. */
export function sortPart(
  order: Uint32Array,
  from: number,
  to: number,
  compare: (a: number, b: number) => number,
): void {
  if (to - from > fewElements) {
    order.subarray(from, to).sort(compare);
    return;
  }
  for (let i = from + 1; i < to; i++) {
    const moved = order[i] ?? 0;
    let at = i;
    for (; at > from && compare(order[at - 1] ?? 0, moved) > 0; at--) order[at] = order[at - 1] ?? 0;
    order[at] = moved;
  }
}
