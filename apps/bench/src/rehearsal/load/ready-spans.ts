/** When a node reported itself ready: from its first response until the last one before a check failed. */
export interface ReadySpan {
  fromMs: number;
  /** Infinity while it is ready. */
  untilMs: number;
}

export interface ReadySpans {
  spans: readonly ReadySpan[];
  isReady(): boolean;
  note(isReady: boolean, atMs: number): void;
}

export function createReadySpans(): ReadySpans {
  const spans: ReadySpan[] = [];
  let lastReadyMs = 0;
  const isReady = () => spans.at(-1)?.untilMs === Number.POSITIVE_INFINITY;
  return {
    spans,
    isReady,
    note(isNowReady, atMs) {
      const current = spans.at(-1);
      if (isNowReady) {
        if (!isReady()) spans.push({ fromMs: atMs, untilMs: Number.POSITIVE_INFINITY });
        lastReadyMs = atMs;
      } else if (current && isReady()) current.untilMs = lastReadyMs;
    },
  };
}

/**
 * The longest time from the change until it was found in which the node was ready without a break. Undefined if the
 * node was not ready when it was found: the wait in a ready node was cut short then, and would look fast. Such a
 * wait still counts when it already exceeds the goal.
 */
export function waitWhileReady(
  spans: readonly ReadySpan[],
  committedMs: number,
  foundMs: number,
  goalMs: number,
): { fromMs: number; toMs: number } | undefined {
  const waits = spans
    .map(({ fromMs, untilMs }) => ({
      fromMs: Math.max(fromMs, committedMs),
      toMs: Math.min(untilMs, foundMs),
    }))
    .toSorted((one, other) => one.toMs - one.fromMs - (other.toMs - other.fromMs));
  const longest = waits.at(-1);
  const isReady = spans.some(({ fromMs, untilMs }) => fromMs <= foundMs && foundMs <= untilMs);
  return longest && (isReady || longest.toMs - longest.fromMs > goalMs) ? longest : undefined;
}
