import type { Clock } from "@product-search/core/ports/clock.ts";
import type { ProductVectors, VectorChange } from "@product-search/core/ports/images.ts";
import type { RateBudget } from "@product-search/core/ports/quotas.ts";

interface MemoryRateBudget {
  budget: RateBudget;
  /** How often nodes reported, and whether reports and heartbeats fail at the moment. */
  calls: { times: number; isDown: boolean };
}

const nodeLivesMs = 10_000;

/** Counts in the same way as PostgreSQL. Without a clock, all nodes are alive. */
export function createMemoryRateBudget(clock: Clock = { now: () => 0 }): MemoryRateBudget {
  const usedByKey = new Map<string, number>();
  const seenAtMs = new Map<string, number>();
  const calls = { times: 0, isDown: false };
  const respond = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    if (calls.isDown) throw new Error("down");
  };
  const budget: RateBudget = {
    async report(reports) {
      calls.times += 1;
      await respond();
      return reports.map(({ key, window, limit, used, asked }) => {
        const before = (usedByKey.get(`${window} ${key}`) ?? 0) + used;
        const granted = Math.min(asked, Math.max(0, limit - before));
        usedByKey.set(`${window} ${key}`, before + granted);
        return { granted, used: before + granted };
      });
    },
    async beat(node) {
      await respond();
      seenAtMs.set(node, clock.now());
      return [...seenAtMs.values()].filter((at) => at >= clock.now() - nodeLivesMs).length;
    },
  };
  return { budget, calls };
}

/** Vectors and the log of their changes, in memory. */
export function createMemoryVectors() {
  const vectors = new Map<number, readonly Float32Array[]>();
  const changed = new Map<number, number>();
  let sequence = 0;
  const productOf = (rowId: number): ProductVectors => ({ rowId, vectors: [...(vectors.get(rowId) ?? [])] });
  return {
    put(rowId: number, given: readonly Float32Array[]) {
      sequence += 1;
      vectors.set(rowId, given);
      changed.set(rowId, sequence);
      return sequence;
    },
    async discardVectors(rowId: number, _model: string, dimensions: number) {
      vectors.set(
        rowId,
        (vectors.get(rowId) ?? []).filter(({ length }) => length === dimensions),
      );
    },
    lastSequence: async () => sequence,
    changesAfter: async (after: number, limit: number): Promise<VectorChange[]> =>
      [...changed]
        .map(([rowId, at]) => ({ rowId, sequence: at }))
        .filter((change) => change.sequence > after)
        .sort((one, other) => one.sequence - other.sequence)
        .slice(0, limit),
    vectorsOf: async (rowIds: readonly number[], _model: string) => rowIds.map(productOf),
    scan: async (_model: string, afterRowId: number, limit: number) =>
      [...vectors]
        .filter(([rowId, given]) => rowId > afterRowId && given.length > 0)
        .map(([rowId]) => productOf(rowId))
        .sort((one, other) => one.rowId - other.rowId)
        .slice(0, limit),
    /** A full scan: slow, but obviously correct. */
    search(query: Float32Array, limit: number, minSimilarity: number): number[] {
      const similarity = (vector: Float32Array) =>
        vector.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0);
      return [...vectors]
        .map(([rowId, given]) => ({ rowId, similarity: Math.max(-2, ...given.map(similarity)) }))
        .filter((hit) => hit.similarity >= minSimilarity)
        .sort((one, other) => other.similarity - one.similarity || one.rowId - other.rowId)
        .slice(0, limit)
        .map(({ rowId }) => rowId);
    },
  };
}
