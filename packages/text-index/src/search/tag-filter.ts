import { type TagCondition, tagConditions } from "../facets/segment-tags.ts";
import type { Segment } from "../segment/segment.ts";
import type { TaggedDocuments } from "../segment/tags.ts";
import type { FilterKey, SearchFilters } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";

/** The documents of a segment, live or deleted, that pass a filter on categories or on an attribute. */
export interface TagFilter {
  readonly kind: FilterKey;
  readonly passing: TaggedDocuments;
}

export function tagFilters(reader: SegmentReader, filters: SearchFilters): TagFilter[] {
  return tagConditions(filters).map((condition) => ({
    kind: condition.kind,
    passing: documentsPassing(reader, condition),
  }));
}

/** Customers choose the same few values again and again. */
export function documentsPassing(reader: SegmentReader, condition: TagCondition): TaggedDocuments {
  return reader.state.tagged.get(condition.id, () => findTagged(reader.segment, condition));
}

/**
 * An inner loop: plain indexing, no closures, no allocation. The tags of a document ascend: what comes after the last tag of
 * the condition is not read, which for categories is nearly all.
 */
function findTagged(segment: Segment, condition: TagCondition): TaggedDocuments {
  const { documents, sections } = segment;
  const { tagRows } = sections;
  const { tagStarts } = sections;
  const marks = condition.marks(segment);
  const last = marks.lastIndexOf(1);
  const bits = new Uint8Array((documents + 7) >>> 3);
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

/** Ascending. */
export function taggedDocuments({ bits, count }: TaggedDocuments): Uint32Array {
  const docs = new Uint32Array(count);
  for (let byte = 0, at = 0; at < count; byte++)
    for (let left = bits[byte] ?? 0, doc = byte << 3; left !== 0; left >>>= 1, doc++)
      if ((left & 1) === 1) docs[at++] = doc;
  return docs;
}
