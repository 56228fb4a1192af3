import type { PlaceRange } from "../facets/attribute-numbers.ts";
import { type RangeCondition, rangeConditions } from "../facets/numeric-attributes.ts";
import { type TagCondition, tagConditions } from "../facets/segment-tags.ts";
import type { Deletions, Segment } from "../segment/segment.ts";
import { type TaggedDocuments, taggedSet } from "../segment/tags.ts";
import type { FilterKey, SearchFilters } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";

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
