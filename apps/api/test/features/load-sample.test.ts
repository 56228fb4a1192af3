import type { ProductInput } from "@product-search/core/domain/product.ts";
import { loadSample } from "@product-search/features/catalog-write/load-sample.ts";
import { expect, test } from "vitest";
import { sampleProductInputs } from "../../src/compose/sample-products.ts";

test("loads the requested products, counts the outcomes, and reports progress", async () => {
  const applied: ProductInput[] = [];
  const catalogStore = {
    apply: async (inputs: readonly ProductInput[]) => {
      applied.push(...inputs);
      return inputs.map(({ source }) =>
        source === "catalog" ? ("created" as const) : ("unchanged" as const),
      );
    },
  };
  const progress: number[] = [];
  const products = sampleProductInputs(120, { currency: "USD", nowMs: 0 });
  const result = await loadSample({ catalogStore }, products, (loaded) => progress.push(loaded));
  expect(applied.length).toBe(120);
  expect(result).toEqual({ created: 72, updated: 0, unchanged: 48 });
  expect(progress.at(-1)).toBe(120);
  expect(progress.length).toBeGreaterThan(1);
});
