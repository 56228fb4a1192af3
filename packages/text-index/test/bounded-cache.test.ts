import { expect, test } from "vitest";
import { BoundedCache, StringCache } from "../src/bounded-cache.ts";

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

test.each(["b", "c", "d", "e"])(
  "of all texts with the same two places, the last two are kept: a and %s",
  (b) => {
    const cache = new StringCache<string>(2);
    const computed: string[] = [];
    const get = (key: string) =>
      cache.get(key, () => {
        computed.push(key);
        return `${key}!`;
      });
    for (const key of ["a", b, "a", b]) expect(get(key)).toBe(`${key}!`);
    expect(computed).toEqual(["a", b]);
    const others = Array.from({ length: 100 }, (_, i) => `other ${i}`);
    for (const key of [...others, "a", b]) expect(get(key)).toBe(`${key}!`);
    expect(computed).toEqual(["a", b, ...others, "a", b]);
  },
);
