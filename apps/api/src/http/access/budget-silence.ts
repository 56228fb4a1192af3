/** A failure within this time after another one, with no success between them, belongs to the same outage. */
const sameOutageMs = 30_000;

/**
 * A node that decides no request for this time in an outage was probably cut off alone, and gets requests again when all
 * nodes have lost the budget. So the outage begins again for it, once: a node with few requests has such pauses too.
 */
const unusedMs = 2_000;

/** The cells of this in memory that all threads of a node share. */
export const silenceFields = 4;

/** How long the budget of rate limits has not been available to this node. */
export interface BudgetSilence {
  failed(): void;
  ended(): void;
  /**
   * Milliseconds since the first failure, or since the node was used again; undefined while the budget is available, as far
   * as is known. Call it for each request that the budget would decide.
   */
  lengthMs(): number | undefined;
}

/** Times are kept modulo 2³² milliseconds; 0 stands for none. */
export function createBudgetSilence(cells: Int32Array, at: number, now: () => number): BudgetSilence {
  const [first, last, used, hasRestarted] = [at, at + 1, at + 2, at + 3];
  const time = () => Math.trunc(now()) | 0 || 1;
  const passedMs = (cell: number) => (time() - Atomics.load(cells, cell)) | 0;
  const isOutage = () => {
    const sinceLast = passedMs(last);
    return Atomics.load(cells, last) !== 0 && sinceLast >= 0 && sinceLast < sameOutageMs;
  };
  return {
    failed() {
      if (!isOutage()) {
        for (const cell of [first, used]) Atomics.store(cells, cell, time());
        Atomics.store(cells, hasRestarted, 0);
      }
      Atomics.store(cells, last, time());
    },
    ended: () => void Atomics.store(cells, last, 0),
    lengthMs() {
      if (!isOutage()) return undefined;
      if (passedMs(used) >= unusedMs && Atomics.load(cells, hasRestarted) === 0) {
        Atomics.store(cells, first, time());
        Atomics.store(cells, hasRestarted, 1);
      }
      Atomics.store(cells, used, time());
      return Math.max(0, passedMs(first));
    },
  };
}
