import { copyDeletions, markDeleted, openSegment, type SnapshotSegment } from "../src/segment/segment.ts";

/** Deletes the documents of newer segments from a segment, and records its own. */
export function deleteSeen(segment: SnapshotSegment, seen: Set<number>): SnapshotSegment {
  const { documents, sections } = openSegment(segment);
  const deletions = copyDeletions(documents, undefined);
  let deletedCount = 0;
  sections.ids.forEach((id, doc) => {
    if (seen.has(id) && markDeleted(deletions, doc)) deletedCount++;
    seen.add(id);
  });
  return { ...segment, deletions, deletedCount };
}
