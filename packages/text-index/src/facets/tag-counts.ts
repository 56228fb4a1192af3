import { candidates, createFilter } from "../search/filter.ts";
import { settle } from "../search/matches.ts";
import type { FilterKey, SearchFilters } from "../search/search-query.ts";
import type { HiddenDocuments, SegmentReader } from "../search/segment-reader.ts";
import type { Postings } from "../segment/postings.ts";
import { isDeleted, type Segment } from "../segment/segment.ts";
import { stringCount } from "../segment/string-table.ts";
import type { TagCounts } from "../segment/tags.ts";
import { checkedAtOnce, checkTime } from "../time-limit.ts";
import { type FacetPlan, frequentList } from "./facet-plan.ts";
import { attributesIn, repeatedAttributes } from "./segment-tags.ts";

/** Counts attributes and levels of categories over the matches of a segment. */
export class TagCounter {
  readonly #reader: SegmentReader;
  readonly #plan: FacetPlan;
  /** The list of a frequent term, if its documents are the matches. */
  readonly #term: Postings | undefined;
  #matches: TagCounts | undefined;

  /** `list`: whose documents are the matches, if they are those of one list. */
  constructor(reader: SegmentReader, plan: FacetPlan, list: Postings | undefined) {
    this.#reader = reader;
    this.#plan = plan;
    if (frequentList(list) !== undefined) this.#term = list;
  }

  /** Without the filter of this key, if there is one. */
  countsWithout(key: FilterKey | undefined): TagCounts {
    checkTime();
    const { whole, byOther, source } = this.#plan;
    const { unfiltered, nearMisses } = this.#reader.state;
    if (key !== undefined && key === whole) return countWhole(this.#reader, source);
    const other = key === undefined ? undefined : byOther.get(key);
    if (other !== undefined) return countFilteredTags(this.#reader, other);
    if (unfiltered !== undefined && unfiltered.kind === key)
      return countTerm(this.#reader, source, unfiltered.postings);
    const missed = key === undefined ? undefined : nearMisses.get(key);
    this.#matches ??= this.#countMatches();
    if (missed === undefined) return this.#matches;
    const counts = { tags: this.#matches.tags.slice(), attributes: this.#matches.attributes.slice() };
    addTags(this.#reader.segment, missed, missed.length, counts);
    return counts;
  }

  #countMatches(): TagCounts {
    const { segment, state } = this.#reader;
    if (this.#term !== undefined) return countTerm(this.#reader, this.#plan.source, this.#term);
    settle(state.matches);
    const counts = noTagCounts(segment);
    addTags(segment, state.matches.docs, state.matches.count, counts);
    return counts;
  }
}

function noTagCounts(segment: Segment): TagCounts {
  return {
    tags: new Uint32Array(stringCount(segment.tags)),
    attributes: new Uint32Array(attributesIn(segment).length),
  };
}

/** Adds the tags of these documents, and how many of them have each attribute. */
function addTags(segment: Segment, docs: Uint32Array, documents: number, counts: TagCounts): void {
  const attributes = attributesIn(segment);
  const repeated = repeatedAttributes(segment);
  // A document with two values of an attribute has it once. Of the others, the values tell.
  const before = attributes.map(({ from, to }) => sumOf(counts.tags, from, to));
  for (let from = 0; from < documents; from += blockLength) {
    if (from % checkedAtOnce === 0) checkTime();
    const length = Math.min(blockLength, documents - from);
    findTags(segment, docs, from, length);
    addBlock(segment, length, counts.tags);
    if (repeated.some) addRepeated(segment, length, repeated.numbers, counts.attributes);
  }
  attributes.forEach(({ from, to }, i) => {
    if (repeated.has(i)) return;
    counts.attributes[i] = (counts.attributes[i] ?? 0) + sumOf(counts.tags, from, to) - (before[i] ?? 0);
  });
}

function sumOf(counts: Uint32Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += counts[i] ?? 0;
  return sum;
}

// Inner loops: plain indexing, no closures, no allocation. The documents are far apart in memory. Where the tags of a block of them
// are is found first, so that the processor waits for many of these places at once: it takes a third of the time.

const blockLength = 64;
const starts = new Uint32Array(blockLength);
const ends = new Uint32Array(blockLength);
/** The first tag of each, which brings the others near: what is read for nothing would not be read. */
const firsts = new Uint32Array(blockLength);

function findTags(
  { sections: { tagRows, tagStarts } }: Segment,
  docs: Uint32Array,
  from: number,
  length: number,
): void {
  for (let i = 0; i < length; i++) {
    const doc = docs[from + i] ?? 0;
    starts[i] = tagStarts[doc] ?? 0;
    ends[i] = tagStarts[doc + 1] ?? 0;
  }
  for (let i = 0; i < length; i++) firsts[i] = tagRows[starts[i] ?? 0] ?? 0;
}

function addBlock({ sections: { tagRows } }: Segment, length: number, tags: Uint32Array): void {
  for (let i = 0; i < length; i++) {
    const end = ends[i] ?? 0;
    for (let at = starts[i] ?? 0; at < end; at++) {
      const tag = tagRows[at] ?? 0;
      tags[tag] = (tags[tag] ?? 0) + 1;
    }
  }
}

/** A document's tags of one attribute are adjacent. */
function addRepeated(
  { sections: { tagRows } }: Segment,
  length: number,
  numbers: Uint32Array,
  attributes: Uint32Array,
): void {
  for (let i = 0; i < length; i++) {
    const end = ends[i] ?? 0;
    let last = 0;
    for (let at = starts[i] ?? 0; at < end; at++) {
      const attribute = numbers[tagRows[at] ?? 0] ?? 0;
      if (attribute === last) continue;
      if (attribute !== 0) attributes[attribute - 1] = (attributes[attribute - 1] ?? 0) + 1;
      last = attribute;
    }
  }
}

/** Over all documents of the source. */
function countWhole(reader: SegmentReader, source: number | undefined): TagCounts {
  const hidden = reader.hidden(source);
  return hidden.tagCounts.get("all", () => countVisible(reader.segment, hidden));
}

function countVisible(segment: Segment, hidden: HiddenDocuments): TagCounts {
  const docs = new Uint32Array(segment.documents);
  let count = 0;
  for (let doc = 0; doc < docs.length; doc++) if (!hidden.has(doc)) docs[count++] = doc;
  const counts = noTagCounts(segment);
  addTags(segment, docs, count, counts);
  return counts;
}

/** Over the documents of a frequent term that a search of the source sees: counted once for each snapshot. */
function countTerm(reader: SegmentReader, source: number | undefined, postings: Postings): TagCounts {
  const hidden = reader.hidden(source);
  const { docs, start, end } = postings;
  return hidden.tagCounts.get(`term ${frequentList(postings)}`, () => {
    const visible = new Uint32Array(end - start);
    let count = 0;
    for (let at = start; at < end; at++) if (!hidden.has(docs[at] ?? 0)) visible[count++] = docs[at] ?? 0;
    const counts = noTagCounts(reader.segment);
    addTags(reader.segment, visible, count, counts);
    return counts;
  });
}

/** Over the documents that pass one filter. */
function countFilteredTags(reader: SegmentReader, filters: SearchFilters): TagCounts {
  const hidden = reader.hidden(filters.source);
  return hidden.tagCounts.get(JSON.stringify(filters), () => {
    const passing = documentsPassing(reader, filters);
    const counts = noTagCounts(reader.segment);
    addTags(reader.segment, passing, passing.length, counts);
    return counts;
  });
}

const nothingApart = { keys: [], areListed: false };

/** The visible documents that pass a filter of one kind. */
export function documentsPassing(reader: SegmentReader, filters: SearchFilters): Uint32Array {
  const { segment } = reader;
  const filter = createFilter(reader, filters, nothingApart, () => []);
  const { ranges, availability } = filter;
  const few = candidates(filter)?.docs;
  const { marks } = reader.hidden(filters.source);
  const { availabilities } = segment.sections;
  const found = new Uint32Array(few?.length ?? segment.documents);
  let count = 0;
  for (let i = 0; i < found.length; i++) {
    if (i % checkedAtOnce === 0) checkTime();
    const doc = few === undefined ? i : (few[i] ?? 0);
    const number = availabilities[doc] ?? 0;
    if (!ranges.every(({ column, least, most }) => least <= (column[doc] ?? 0) && (column[doc] ?? 0) <= most))
      continue;
    if (!availability.every((accepted) => accepted[number] === 1)) continue;
    if (marks === undefined || !isDeleted(marks, doc)) found[count++] = doc;
  }
  return found.subarray(0, count);
}
