import type { Deletions } from "./deletions.ts";
import type { SegmentHandle } from "./segment.ts";

/** One segment of a snapshot, with the documents deleted from it since it was built. */
export interface SnapshotSegment extends SegmentHandle {
  readonly deletions: Deletions | undefined;
  readonly deletedCount: number;
}

/**
 * The whole index at one sequence: a plain object that `postMessage` sends to other threads without copying the data.
 * Immutable. A later snapshot shares the segments that did not change.
 */
export interface Snapshot {
  /** The caller's sequence number of the last change that is included. */
  readonly sequence: number;
  /** Largest (oldest) first. */
  readonly segments: readonly SnapshotSegment[];
  /** The codes of the languages with which it was built, where the one who publishes it tells them. */
  readonly languages?: readonly string[];
}

export const emptySnapshot: Snapshot = { sequence: 0, segments: [] };

/** A snapshot of one new segment. */
export function snapshotOf(segment: SegmentHandle, sequence: number): Snapshot {
  return { sequence, segments: [{ ...segment, deletions: undefined, deletedCount: 0 }] };
}
