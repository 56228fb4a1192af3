import { floorAbove, typicalSimilarity } from "@product-search/core/domain/similarity.ts";
import { createMemoryVectors } from "@product-search/testing/memory-ports.ts";
import { identifyBuiltInModel, identifySmallModel } from "@product-search/vision/identity";
import { expect, test } from "vitest";

const dimensions = 64;

/** Vectors of length 1 with the share `common` of their squared length in one direction: any two are about that similar. */
function storeOf(products: number, common: number) {
  let state = 5;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const store = createMemoryVectors();
  for (let n = 1; n <= products; n++) {
    const own = Float32Array.from({ length: dimensions }, (_, at) => (at === 0 ? 0 : random()));
    const scale = Math.sqrt(1 - common) / Math.hypot(...own);
    const vector = own.map((value, at) => (at === 0 ? Math.sqrt(common) : value * scale));
    store.put(n * 7, [vector, vector]);
  }
  return store;
}

test.each([
  ["nothing", 0, 0],
  ["a third", 0.33, 0.33],
  ["nearly everything", 0.9, 0.5],
])("is what any two images have in common: %s", async (_, common, expected) => {
  const store = storeOf(300, common);
  expect(await typicalSimilarity(store, "m", undefined)).toBeCloseTo(expected, 1);
  expect(await typicalSimilarity(store, "m", 2100)).toBeCloseTo(expected, 1);
});

test("is 0 for few products", async () => {
  expect(await typicalSimilarity(storeOf(19, 0.4), "m", undefined)).toBe(0);
  expect(await typicalSimilarity(createMemoryVectors(), "m", 5)).toBe(0);
});

test("raises the minimum similarity, which stays 0.25 if things of different kinds are not similar at all", () => {
  expect(floorAbove(0, undefined)).toBe(0.25);
  expect(floorAbove(0, identifySmallModel().id)).toBe(0.2);
  expect(floorAbove(0, identifyBuiltInModel().id)).toBe(0.25);
  expect(floorAbove(0, `${identifySmallModel().id}+0a1b2c`)).toBe(0.25);
  expect(floorAbove(0.5, undefined)).toBeCloseTo(0.625);
});
