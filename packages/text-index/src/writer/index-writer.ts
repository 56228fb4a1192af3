import { english, type Language } from "../language/language.ts";
import { createSegmentBuilder } from "../segment/build/segment-builder.ts";
import {
  copyDeletions,
  type Deletions,
  IdTable,
  isDeleted,
  type MergeInput,
  markDeleted,
  openSegment,
  type Segment,
  type SegmentHandle,
  type Snapshot,
} from "../segment/segment.ts";
import type { IndexDocument } from "../segment/segment-layout.ts";
import { finish, type Steps } from "../segment/steps.ts";
import { type BuilderOptions, type Merged, mergeSegments } from "./merge-segments.ts";

/** New documents join the newest segments at once, up to this many documents. */
const deltaDocuments = 16_384;
/** A segment is merged with its successor if it is less than this many times larger. */
const mergeGrowth = 8;
/**
 * Of these, segments with fewer documents than this always join. Larger ones join unless they are this many times
 * larger.
 */
const alwaysJoined = 1024;
const joinedGrowth = 4;
const documentsBetweenPauses = 64;

export interface Changes {
  /** New documents, and new versions of existing ones. Of two with the same id, the last one is used. */
  readonly upserts: Iterable<IndexDocument>;
  /** Ids of documents to remove; absent ones are ignored. A document in both lists stays. */
  readonly deletes: Iterable<number>;
}

/** The only writer of an index; exactly one thread may have it. */
export interface IndexWriter {
  /**
   * Applies a batch and returns the new snapshot. The cost depends on the size of the batch and of the newest
   * segment.
   */
  apply(changes: Changes, sequence: number): Snapshot;
  /**
   * The same in two steps. First `add`, whose result is the snapshot with the batch; then `join`, without which every
   * batch would stay a separate segment. All steps of one must be done before the other begins.
   */
  add(changes: Changes, sequence: number): Steps<Snapshot>;
  join(): Steps<Snapshot>;
  readonly snapshot: Snapshot;
  /** Whether a document with the id is in the index. */
  has(id: number): boolean;
  /** Whether segments should be merged: call `mergeFor` when there is time. */
  readonly mergePending: boolean;
  /** Merges for about this many milliseconds. Returns the new snapshot when a merge is complete, else undefined. */
  mergeFor(milliseconds: number): Snapshot | undefined;
}

interface Part {
  readonly segment: Segment;
  readonly ids: IdTable;
  deletions: Deletions | undefined;
  deletedCount: number;
}

interface RunningMerge {
  readonly parts: readonly Part[];
  readonly deletionsAtStart: ReadonlyArray<Deletions | undefined>;
  readonly steps: Steps<Merged>;
}

/** `languages` must be those with which the snapshot was built. */
export function createIndexWriter(start: Snapshot, languages: readonly Language[] = [english]): IndexWriter {
  return new Writer(start, languages);
}

class Writer implements IndexWriter {
  /** Largest first. Only the first one stores phrases: counting them again with every batch would add nothing. */
  #parts: Part[];
  #sequence: number;
  readonly #languages: readonly Language[];
  #running: RunningMerge | undefined;

  constructor(start: Snapshot, languages: readonly Language[]) {
    this.#languages = languages;
    this.#sequence = start.sequence;
    this.#parts = start.segments.map(({ deletions, deletedCount, ...handle }) => ({
      ...toPart(handle),
      deletions,
      deletedCount,
    }));
  }

  get snapshot(): Snapshot {
    return {
      sequence: this.#sequence,
      segments: this.#parts.map(({ segment: { key, buffer }, deletions, deletedCount }) => ({
        key,
        buffer,
        deletions,
        deletedCount,
      })),
    };
  }

  has(id: number): boolean {
    return this.#parts.some(({ ids, deletions }) => ids.find(id, deletions) !== undefined);
  }

  apply(changes: Changes, sequence: number): Snapshot {
    finish(this.add(changes, sequence));
    return finish(this.join());
  }

  *add({ upserts, deletes }: Changes, sequence: number): Steps<Snapshot> {
    const documents = new Map<number, IndexDocument>();
    for (const document of upserts) documents.set(document.id, document);
    const fresh = yield* build(documents.values(), {
      phrases: this.#parts.length === 0,
      languages: this.#languages,
    });
    this.#delete([...deletes, ...documents.keys()]);
    if (fresh !== undefined) this.#parts.push(fresh);
    this.#parts = this.#parts.filter((part) => live(part) > 0 || this.#isMerging(part));
    this.#sequence = sequence;
    return this.snapshot;
  }

  /** Small segments are merged at once, so that there are only a few of them and not one per batch. */
  *join(): Steps<Snapshot> {
    for (;;) {
      const [older, newest] = this.#parts.slice(-2);
      if (older === undefined || newest === undefined || this.#isMerging(older) || this.#isMerging(newest))
        break;
      if (live(older) + live(newest) > deltaDocuments) break;
      if (live(older) > joinedGrowth * Math.max(alwaysJoined, live(newest))) break;
      const { handle } = yield* mergeSegments([older, newest], {
        phrases: older === this.#parts[0],
        languages: this.#languages,
      });
      this.#parts.splice(-2, 2, toPart(handle));
    }
    return this.snapshot;
  }

  get mergePending(): boolean {
    return this.#running !== undefined || this.#mergeable() !== undefined;
  }

  mergeFor(milliseconds: number): Snapshot | undefined {
    this.#running ??= this.#start(this.#mergeable());
    if (this.#running === undefined) return undefined;
    const deadline = performance.now() + milliseconds;
    while (performance.now() < deadline) {
      const step = this.#running.steps.next();
      if (step.done) {
        this.#finish(this.#running, step.value);
        return this.snapshot;
      }
    }
    return undefined;
  }

  #delete(ids: readonly number[]): void {
    for (const part of this.#parts) {
      const found: number[] = [];
      for (const id of ids) {
        const doc = part.ids.find(id, part.deletions);
        if (doc !== undefined) found.push(doc);
      }
      if (found.length === 0) continue;
      // A copy, because readers of earlier snapshots keep theirs.
      const deletions = copyDeletions(part.segment.documents, part.deletions);
      for (const doc of found) if (markDeleted(deletions, doc)) part.deletedCount++;
      part.deletions = deletions;
    }
  }

  #isMerging(part: Part): boolean {
    return this.#running?.parts.includes(part) ?? false;
  }

  /** The segments to merge: adjacent ones of similar size, or one that is mostly deleted. */
  #mergeable(): readonly Part[] | undefined {
    for (const [i, part] of this.#parts.entries()) {
      const next = this.#parts[i + 1];
      if (next !== undefined && live(next) >= deltaDocuments / 2 && live(part) < mergeGrowth * live(next))
        return [part, next];
      if (part.deletedCount > part.segment.documents / 4 && part.segment.documents > deltaDocuments)
        return [part];
    }
    return undefined;
  }

  #start(parts: readonly Part[] | undefined): RunningMerge | undefined {
    if (parts === undefined) return undefined;
    const inputs: MergeInput[] = parts.map(({ segment, deletions }) => ({ segment, deletions }));
    return {
      parts,
      deletionsAtStart: parts.map(({ deletions }) => deletions),
      steps: mergeSegments(inputs, { phrases: parts[0] === this.#parts[0], languages: this.#languages }),
    };
  }

  #finish(merge: RunningMerge, { handle, placeOf }: Merged): void {
    const merged = toPart(handle);
    merge.parts.forEach((part, i) => {
      const before = merge.deletionsAtStart[i];
      if (part.deletions === undefined || part.deletions === before) return;
      const deletions = copyDeletions(merged.segment.documents, merged.deletions);
      for (let doc = 0; doc < part.segment.documents; doc++) {
        const late = isDeleted(part.deletions, doc) && !(before !== undefined && isDeleted(before, doc));
        if (late && markDeleted(deletions, placeOf[i]?.[doc] ?? 0)) merged.deletedCount++;
      }
      merged.deletions = deletions;
    });
    const at = this.#parts.findIndex((part) => merge.parts.includes(part));
    this.#parts.splice(at, merge.parts.length, merged);
    this.#running = undefined;
  }
}

function* build(documents: Iterable<IndexDocument>, options: BuilderOptions): Steps<Part | undefined> {
  const builder = createSegmentBuilder(options);
  for (const document of documents) {
    builder.add(document);
    if (builder.documents % documentsBetweenPauses === 0) yield;
  }
  return builder.documents === 0 ? undefined : toPart(yield* builder.buildInSteps());
}

function toPart(handle: SegmentHandle): Part {
  const segment = openSegment(handle);
  return { segment, ids: new IdTable(segment), deletions: undefined, deletedCount: 0 };
}

function live(part: Part): number {
  return part.segment.documents - part.deletedCount;
}
