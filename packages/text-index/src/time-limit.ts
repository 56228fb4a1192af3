/** A search takes longer than it may on this thread. */
export class OutOfTimeError extends Error {
  override readonly name = "OutOfTimeError";
}

let untilMs = Number.POSITIVE_INFINITY;

/**
 * Does work with an index, and fails with `OutOfTimeError` a little after this time. Nothing is lost but what the work has
 * found so far: caches keep only what is complete, and scratch space is filled again by the next search.
 */
export function withinTime<Result>(milliseconds: number, work: () => Result): Result {
  untilMs = performance.now() + milliseconds;
  try {
    return work();
  } finally {
    untilMs = Number.POSITIVE_INFINITY;
  }
}

/** Called at the beginning of everything that reads lists of documents: each takes a few milliseconds at most. */
export function checkTime(): void {
  if (untilMs !== Number.POSITIVE_INFINITY && performance.now() > untilMs)
    throw new OutOfTimeError("The search takes longer than it may.");
}
