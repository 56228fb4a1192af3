import { expect, onTestFinished, test, vi } from "vitest";
import { createPopularQueries, popularityOf } from "./popularity.ts";

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
    await vi.waitFor(() => expect(errors).toHaveLength(reads.length), { timeout: 60_000 });
  }
  expect(reads).toEqual([0, 1000, 3000, 7000]);
  fails = false;
  nowMs = 15_000;
  queries.searchesOf("boots");
  await vi.waitFor(() => expect(queries.searchesOf("boots")).toBe(7), { timeout: 60_000 });
  // The clock is set back.
  nowMs = 1000;
  queries.searchesOf("boots");
  expect(reads.at(-1)).toBe(1000);
});

const popularity = (clicks: number, carts = 0, purchases = 0) => popularityOf({ clicks, carts, purchases });

test("is 0 without events, and grows with each of the first ones", () => {
  const few = Array.from({ length: 12 }, (_, clicks) => popularity(clicks));
  expect(few[0]).toBe(0);
  expect(few).toEqual([...new Set(few)].toSorted((one, other) => one - other));
});

test("counts a purchase more than a cart, and a cart more than a click", () => {
  expect(popularity(0, 1)).toBeGreaterThan(popularity(2));
  expect(popularity(0, 0, 1)).toBeGreaterThan(popularity(0, 3));
});

test("changes little for a popular product, and stays below its bound", () => {
  expect(popularity(10_200)).toBe(popularity(10_000));
  expect(popularity(Number.MAX_SAFE_INTEGER)).toBeLessThanOrEqual(1000);
});
