import type { Clock } from "@product-search/core/ports/clock.ts";
import type { RateBudget } from "@product-search/core/ports/rate-budget.ts";

export interface MemoryRateBudget {
  budget: RateBudget;
  /** How often slices were requested, and whether requests fail at the moment. */
  calls: { times: number; isDown: boolean };
}

const nodeLivesMs = 10_000;

/** Gives slices in the same way as PostgreSQL. Without a clock, all nodes are alive. */
export function createMemoryRateBudget(clock: Clock = { now: () => 0 }): MemoryRateBudget {
  const taken = new Map<string, number>();
  const seenAtMs = new Map<string, number>();
  const countNodes = () => [...seenAtMs.values()].filter((at) => at >= clock.now() - nodeLivesMs).length;
  const asked = { times: 0, isDown: false };
  const budget: RateBudget = {
    async take(requests) {
      asked.times += 1;
      await new Promise((resolve) => setImmediate(resolve));
      if (asked.isDown) throw new Error("down");
      return requests.map(({ key, window, limit, spent }) => {
        const before = (taken.get(`${window} ${key}`) ?? 0) + spent;
        const rest = Math.max(0, limit - before);
        const granted = Math.min(
          rest,
          Math.ceil(limit / 20),
          Math.ceil(rest / (4 * Math.max(1, countNodes()))),
        );
        taken.set(`${window} ${key}`, before + granted);
        return { granted, left: rest - granted };
      });
    },
    async beat(node) {
      seenAtMs.set(node, clock.now());
      return countNodes();
    },
  };
  return { budget, calls: asked };
}
