import { BoundedCache } from "../bounded-cache.ts";
import type { AllCounts } from "../facets/facet-rows.ts";
import { valueClassCount } from "../facets/value-classes.ts";
import { countDeleted, countPostings, type Postings, postingCount } from "../segment/postings.ts";
import { type Deletions, deletedDocuments, isDeleted, type Segment } from "../segment/segment.ts";
import { stringCount } from "../segment/string-table.ts";
import type { TagCounts } from "../segment/tags.ts";

const keptFilters = 64;
/** What is counted over the lists of frequent terms, and over those of filters: of each, this much is kept, but a few at least. */
const keptBytes = 2 ** 21;
const leastKept = 16;
const mostKept = 512;

function keptOf(numbers: number): number {
  return Math.max(leastKept, Math.min(mostKept, Math.floor(keptBytes / (4 * numbers + 1))));
}

// If a list has this many times more documents than are hidden, searching the hidden ones in the list is faster than
// checking each of its documents.
const fewHidden = 8;

/** The documents of a segment that a search does not see: deleted ones and, for a search of one source, those of others. */
export class HiddenDocuments {
  /** Undefined if there are none. */
  readonly marks: Deletions | undefined;
  readonly #count: number;
  #docs: Uint32Array | undefined;
  readonly #inDenseLists = new Map<Uint8Array, number>();
  /** What was counted over the lists of frequent terms without the hidden documents, and over what filters alone find. */
  readonly termCounts: BoundedCache<number | string, AllCounts | "too wide">;
  /** What was counted over the documents of one filter. */
  readonly filterCounts = new BoundedCache<string, Uint32Array>(keptFilters);
  /** The same for attributes and categories, of which there may be many: by filter or by frequent term. */
  readonly tagCounts: BoundedCache<string, TagCounts>;

  constructor(segment: Segment, marks: Deletions | undefined, count: number) {
    const { brands, categories, stores, tags } = segment;
    const names = [brands, categories, stores].reduce(
      (sum, table) => sum + stringCount(table),
      valueClassCount,
    );
    this.termCounts = new BoundedCache(keptOf(names));
    this.tagCounts = new BoundedCache(keptOf(stringCount(tags)));
    this.marks = count === 0 ? undefined : marks;
    this.#count = count;
  }

  has(doc: number): boolean {
    return this.marks !== undefined && isDeleted(this.marks, doc);
  }

  /** How many of them are in a list. In the longest lists, which many queries read, they are counted once. */
  countIn(postings: Postings): number {
    if (this.marks === undefined) return 0;
    if (postings.dense === undefined) return this.#search(postings, this.marks);
    const known = this.#inDenseLists.get(postings.dense) ?? this.#search(postings, this.marks);
    this.#inDenseLists.set(postings.dense, known);
    return known;
  }

  #search(postings: Postings, marks: Deletions): number {
    if (this.#count * fewHidden >= postingCount(postings)) return countDeleted(postings, marks);
    this.#docs ??= deletedDocuments(marks);
    return countPostings(postings, this.#docs);
  }
}

/** The deleted documents and those of other sources. */
export function hideDocuments(
  segment: Segment,
  deletions: Deletions | undefined,
  source: number | undefined,
): HiddenDocuments {
  const others = source === undefined ? undefined : otherSources(segment, source);
  if (deletions === undefined) return hidden(segment, others);
  if (others === undefined) return hidden(segment, deletions);
  const marks = others.slice();
  for (let i = 0; i < marks.length; i++) marks[i] = (marks[i] ?? 0) | (deletions[i] ?? 0);
  return hidden(segment, marks);
}

function hidden(segment: Segment, marks: Deletions | undefined): HiddenDocuments {
  let count = 0;
  if (marks !== undefined) for (let i = 0; i < marks.length; i++) count += bitsOf[marks[i] ?? 0] ?? 0;
  return new HiddenDocuments(segment, marks, count);
}

const bitsOf = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

const othersOf = new WeakMap<Segment, Map<number, Deletions>>();

/** One bit per document, set if it is of another source. A segment never changes, so this is computed once. */
function otherSources(segment: Segment, source: number): Deletions {
  const known = othersOf.get(segment) ?? new Map<number, Deletions>();
  othersOf.set(segment, known);
  const marks = known.get(source) ?? markOthers(segment, source);
  known.set(source, marks);
  return marks;
}

function markOthers({ documents, sections: { sources } }: Segment, source: number): Deletions {
  const marks = new Uint8Array((documents + 7) >>> 3);
  for (let doc = 0; doc < documents; doc++)
    if (sources[doc] !== source) marks[doc >>> 3] = (marks[doc >>> 3] ?? 0) | (1 << (doc & 7));
  return marks;
}
