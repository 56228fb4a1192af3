import type { VectorSearch } from "@product-search/core/ports/images.ts";
import { afterEach, beforeEach, expect, test } from "vitest";

export const dimensions = 8;
export const model = "model-of-tests";

export interface OpenVectorSearch {
  search: VectorSearch;
  /** Replaces all vectors of a product. Resolves when searches see it. */
  put(rowId: number, vectors: readonly Float32Array[]): Promise<void>;
  close(): Promise<void>;
}

/** A vector of length 1, turned from the first axis towards another one by the angle. */
export function leaning(angle: number, axis = 1): Float32Array {
  const vector = new Float32Array(dimensions);
  vector[0] = Math.cos(angle);
  vector[axis] = Math.sin(angle);
  return vector;
}

/** Tests for every vector search. */
export function describeVectorSearch(open: () => Promise<OpenVectorSearch>): void {
  let opened: OpenVectorSearch;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.close());

  const find = (vector: Float32Array, limit = 50, minSimilarity = -1) =>
    opened.search.search({ vector, limit, minSimilarity });
  const rowIds = async (vector: Float32Array, limit?: number, least?: number) =>
    (await find(vector, limit, least)).map(({ rowId }) => rowId);

  test("says whose vectors it searches, and finds nothing among none", async () => {
    expect(opened.search.model()).toBe(model);
    expect(await find(leaning(0))).toEqual([]);
  });

  test("returns the most similar first, with their similarity", async () => {
    for (const [rowId, angle] of [
      [1, 1],
      [2, 0.1],
      [3, 0.5],
    ] as const)
      await opened.put(rowId, [leaning(angle)]);
    const hits = await find(leaning(0));
    expect(hits.map(({ rowId }) => rowId)).toEqual([2, 3, 1]);
    expect(hits[0]?.similarity).toBeCloseTo(Math.cos(0.1), 2);
    expect(hits[2]?.similarity).toBeCloseTo(Math.cos(1), 2);
  });

  test("returns one entry per product, by its best image", async () => {
    await opened.put(1, [leaning(1.5), leaning(0.2), leaning(2.5)]);
    await opened.put(2, [leaning(0.4), leaning(0.5)]);
    const hits = await find(leaning(0));
    expect(hits.map(({ rowId }) => rowId)).toEqual([1, 2]);
    expect(hits[0]?.similarity).toBeCloseTo(Math.cos(0.2), 2);
  });

  test("applies the minimum similarity and the limit", async () => {
    for (let rowId = 1; rowId <= 9; rowId++) await opened.put(rowId, [leaning(rowId / 10)]);
    expect(await rowIds(leaning(0), 3)).toEqual([1, 2, 3]);
    expect(await rowIds(leaning(0), 50, Math.cos(0.45))).toEqual([1, 2, 3, 4]);
    expect(await rowIds(leaning(Math.PI), 50, 0)).toEqual([]);
  });

  test("orders equally similar products by row id", async () => {
    for (const rowId of [3, 1, 2]) await opened.put(rowId, [leaning(0.3)]);
    expect(await rowIds(leaning(0))).toEqual([1, 2, 3]);
  });

  test("no longer finds the former images of a product", async () => {
    await opened.put(1, [leaning(0), leaning(0.1)]);
    await opened.put(2, [leaning(0.2)]);
    await opened.put(1, [leaning(1)]);
    expect(await rowIds(leaning(0))).toEqual([2, 1]);
    await opened.put(1, []);
    expect(await rowIds(leaning(0))).toEqual([2]);
    await opened.put(1, [leaning(0)]);
    expect(await rowIds(leaning(0))).toEqual([1, 2]);
  });

  test.each([
    ["another length", new Float32Array(dimensions - 1).fill(0.5)],
    ["what is no number", new Float32Array(dimensions).fill(Number.NaN)],
    ["infinity", new Float32Array(dimensions).fill(Number.POSITIVE_INFINITY)],
  ])("refuses a query with %s", async (_, vector) => {
    await expect(find(vector)).rejects.toThrow("does not fit");
  });
}
