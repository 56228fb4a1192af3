import type { Deletions } from "./deletions.ts";
import type { SegmentHandle } from "./segment.ts";

/** One segment of a snapshot, with the documents that were deleted from it since it was built. */
export interface SnapshotSegment extends SegmentHandle {
  readonly deletions: Deletions | undefined;
  readonly deletedCount: number;
}

/**
 * The whole index at one moment: a plain object that `postMessage` hands to other threads without copying the data.
 * Immutable; a later snapshot shares the segments that did not change.
 */
export interface Snapshot {
  /** The caller's number of the last change that is inside. */
  readonly sequence: number;
  /** Largest (oldest) first. */
  readonly segments: readonly SnapshotSegment[];
}

export const emptySnapshot: Snapshot = { sequence: 0, segments: [] };

/** A snapshot of one freshly built segment. */
export function snapshotOf(segment: SegmentHandle, sequence: number): Snapshot {
  return { sequence, segments: [{ ...segment, deletions: undefined, deletedCount: 0 }] };
}
