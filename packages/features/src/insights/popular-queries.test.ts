import { expect, onTestFinished, test, vi } from "vitest";
import { createPopularQueries } from "./popular-queries.ts";

test("after a failed read, the next one comes soon, and later after each further failure", async () => {
  let nowMs = 0;
  const reads: number[] = [];
  let fails = true;
  const errors: unknown[] = [];
  const queries = createPopularQueries({
    insightStore: {
      async rank() {
        reads.push(nowMs);
        if (fails) throw new Error("The store is not reachable.");
        return [
          {
            query: "boots",
            searches: 7,
            noResults: 0,
            relaxed: 0,
            results: 1,
            clicks: 0,
            positioned: 0,
            positions: 0,
          },
        ];
      },
    },
    clock: { now: () => nowMs },
    onError: (error) => errors.push(error),
  });
  onTestFinished(queries.stop);
  for (nowMs = 0; nowMs < 7500; nowMs += 500) {
    queries.searchesOf("boots");
    await vi.waitFor(() => expect(errors).toHaveLength(reads.length));
  }
  expect(reads).toEqual([0, 1000, 3000, 7000]);
  fails = false;
  nowMs = 15_000;
  queries.searchesOf("boots");
  await vi.waitFor(() => expect(queries.searchesOf("boots")).toBe(7));
});
