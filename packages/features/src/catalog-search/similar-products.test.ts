import { storedProduct } from "@product-search/testing/naive-catalog.ts";
import { expect, it } from "vitest";
import { similarProducts } from "./similar-products.ts";

it("reads the images' vectors again when another model is searched meanwhile", async () => {
  let model = "former";
  const asked: string[] = [];
  const product = storedProduct(1);
  const found = await similarProducts(
    {
      catalogStore: {
        findByIds: async () => [product],
        findByRowIds: async () => [],
        findWithHistory: async () => [],
      },
      productImageStore: {
        vectorsOf: async ([rowId = 0], of) => {
          asked.push(of);
          model = "newest";
          return [{ rowId, vectors: [Float32Array.of(of === "former" ? 0 : 1)] }];
        },
      },
      vectorSearch: {
        model: () => model,
        typicalSimilarity: () => 0,
        search: async ({ vector }) => {
          if (vector[0] !== 1) throw new Error("The vector is of another model.");
          return [];
        },
      },
      textSearch: { search: async () => expect.fail("The product has an image.") },
      publicUrl: "https://shop.example",
      currency: "USD",
    },
    product.id,
    {},
    new AbortController().signal,
  );
  expect(found).toEqual([]);
  expect(asked).toEqual(["former", "newest"]);
});
