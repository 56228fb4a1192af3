import { expect, test } from "vitest";
import { BoundedCache } from "../src/bounded-cache.ts";

function countingCache(capacity: number) {
  const cache = new BoundedCache<number, number>(capacity);
  let computed = 0;
  const get = (key: number) =>
    cache.get(key, () => {
      computed++;
      return key * key;
    });
  return { get, computed: () => computed };
}

test("a key is computed once while few others are asked for", () => {
  const { get, computed } = countingCache(8);
  for (let round = 0; round < 3; round++) for (const key of [0, 1, 2, 3]) expect(get(key)).toBe(key * key);
  expect(computed()).toBe(4);
});

test("a key that is asked for again and again is kept", () => {
  const { get, computed } = countingCache(8);
  for (let key = 1; key <= 100; key++) {
    get(0);
    get(key);
  }
  expect(computed()).toBe(101);
});

test("at most `capacity` keys are kept", () => {
  const { get, computed } = countingCache(8);
  for (let key = 0; key < 100; key++) get(key);
  const before = computed();
  for (let key = 99; key >= 92; key--) get(key);
  for (let key = 0; key < 92; key++) get(key);
  expect(computed() - before).toBeGreaterThanOrEqual(92);
});
