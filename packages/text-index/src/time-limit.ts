/** A search takes longer than it may on this thread. */
export class OutOfTimeError extends Error {
  override readonly name = "OutOfTimeError";
}

/** The processor time at which the work must end; undefined without a limit. */
let lastMs: number | undefined;
/** Before this time the processor time cannot be used up. Looking at the clock costs a twentieth of asking the system. */
let notBeforeMs = 0;

/**
 * Does work with an index, and fails with `OutOfTimeError` soon after it has used so much processor time. Nothing is lost but
 * what the work has found so far: caches keep only what is complete, and scratch space is filled again by the next search.
 */
export function withinTime<Result>(milliseconds: number, work: () => Result): Result {
  lastMs = threadMs() + milliseconds;
  notBeforeMs = performance.now() + milliseconds;
  try {
    return work();
  } finally {
    lastMs = undefined;
  }
}

/** A loop over documents checks the time after so many: half a millisecond or so. */
export const checkedAtOnce = 4096;

/**
 * Called at the beginning of everything that reads lists of documents, and in loops that may take more than a few milliseconds.
 * `leave` clears scratch space that the next search expects to be clear.
 */
export function checkTime(leave?: () => void): void {
  if (lastMs === undefined || performance.now() < notBeforeMs) return;
  const leftMs = lastMs - threadMs();
  if (leftMs <= 0) {
    leave?.();
    throw new OutOfTimeError("The search takes longer than it may.");
  }
  // Others had the processor meanwhile.
  notBeforeMs = performance.now() + leftMs;
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
