/** Sends one request; returns its response. */
export type Ask = (query: string) => Promise<{ status: number; cache: string }>;

export interface Outcome {
  /** Sorted. */
  ms: number[];
  statuses: Record<string, number>;
  /** Grouped by the first words of `Cache-Status`. */
  cache: Record<string, number>;
}

/** Sends at a constant rate, whether or not earlier requests have finished, like many independent clients. */
export async function openLoop(
  ask: Ask,
  { perSecond, seconds, query }: { perSecond: number; seconds: number; query: (n: number) => string },
): Promise<Outcome> {
  const outcome: Outcome = { ms: [], statuses: {}, cache: {} };
  const startedMs = performance.now();
  const all: Promise<void>[] = [];
  const one = async (n: number): Promise<void> => {
    const sentMs = performance.now();
    const { status, cache } = await ask(query(n)).catch(() => ({ status: 0, cache: "" }));
    outcome.ms.push(performance.now() - sentMs);
    outcome.statuses[status] = (outcome.statuses[status] ?? 0) + 1;
    const kind = /hit|collapsed|miss/.exec(cache.replace("fwd=miss; collapsed", "collapsed"))?.[0] ?? "none";
    outcome.cache[kind] = (outcome.cache[kind] ?? 0) + 1;
  };
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(((performance.now() - startedMs) / 1000) * perSecond, perSecond * seconds);
      while (all.length < due) all.push(one(all.length));
      if (all.length < perSecond * seconds) return;
      clearInterval(timer);
      resolve();
    }, 2);
  });
  await Promise.all(all);
  outcome.ms.sort((one, other) => one - other);
  return outcome;
}

export function quantile({ ms }: Outcome, share: number): number {
  return Math.round((ms[Math.min(ms.length - 1, Math.floor(ms.length * share))] ?? Number.NaN) * 100) / 100;
}
