import { setTimeout } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { removeUnusedVectors } from "./follow-model.ts";

function createStore(vectors: Map<string, number>) {
  const used = new Set<string>();
  const store = {
    storedModels: async () => [...vectors].filter(([, count]) => count > 0).map(([model]) => model),
    usedModels: async () => [...used],
    async removeVectors(model: string, limit: number) {
      const removed = Math.min(limit, vectors.get(model) ?? 0);
      vectors.set(model, (vectors.get(model) ?? 0) - removed);
      return removed;
    },
  };
  return { used, store };
}

it("removes the vectors of models that no node uses, when it is known which are used", async () => {
  const vectors = new Map([
    ["former", 1000],
    ["new", 1000],
    ["other", 1000],
  ]);
  const { used, store } = createStore(vectors);
  const here: string[] = [];
  used.add("other");
  const errors: unknown[] = [];
  const stopping = new AbortController();
  const removing = removeUnusedVectors(
    store,
    () => here,
    (error) => errors.push(error),
    stopping.signal,
    { checkEveryMs: 1, lookEveryMs: 60_000, retryAfterMs: 60_000 },
  );
  await setTimeout(50);
  expect(vectors.get("former")).toBe(1000);
  here.push("new");
  await vi.waitFor(() => expect(vectors.get("former")).toBe(0), { timeout: 60_000 });
  stopping.abort();
  await removing;
  expect([...vectors.values()]).toEqual([0, 1000, 1000]);
  expect(errors).toEqual([]);
});

it("keeps the rest of the vectors when a node uses the model again, and reports failures", async () => {
  const vectors = new Map([["former", 1000]]);
  const { used, store } = createStore(vectors);
  const here = ["new"];
  const errors: unknown[] = [];
  const stopping = new AbortController();
  const { removeVectors } = store;
  vi.spyOn(store, "removeVectors")
    .mockRejectedValueOnce(new Error("no"))
    .mockImplementationOnce((model, limit) => {
      used.add("former");
      return removeVectors(model, limit);
    });
  const asked = vi.spyOn(store, "usedModels");
  const removing = removeUnusedVectors(
    store,
    () => here,
    (error) => errors.push(error),
    stopping.signal,
    { checkEveryMs: 1, lookEveryMs: 1, retryAfterMs: 1 },
  );
  await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(5), { timeout: 60_000 });
  stopping.abort();
  await removing;
  expect(errors).toEqual([new Error("no")]);
  expect(vectors.get("former")).toBe(800);
});
