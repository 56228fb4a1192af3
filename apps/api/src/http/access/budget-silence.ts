/** A failure within this time after another one, with no success between them, belongs to the same outage. */
const sameOutageMs = 30_000;

/** The cells of this in memory that all threads of a node share. */
export const silenceFields = 2;

/** How long the budget of rate limits has not been available to this node. */
export interface BudgetSilence {
  failed(): void;
  ended(): void;
  /** Milliseconds since the first failure; undefined while the budget is available, as far as is known. */
  lengthMs(): number | undefined;
}

/** Times are kept modulo 2³² milliseconds; 0 stands for none. */
export function createBudgetSilence(cells: Int32Array, at: number, now: () => number): BudgetSilence {
  const [first, last] = [at, at + 1];
  const time = () => Math.trunc(now()) | 0 || 1;
  const passedMs = (cell: number) => (time() - Atomics.load(cells, cell)) | 0;
  const isOutage = () => {
    const sinceLast = passedMs(last);
    return Atomics.load(cells, last) !== 0 && sinceLast >= 0 && sinceLast < sameOutageMs;
  };
  return {
    failed() {
      if (!isOutage()) Atomics.store(cells, first, time());
      Atomics.store(cells, last, time());
    },
    ended: () => void Atomics.store(cells, last, 0),
    lengthMs: () => (isOutage() ? Math.max(0, passedMs(first)) : undefined),
  };
}
