import { productId } from "@product-search/core/domain/identity.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { expect, test } from "vitest";
import { readQuery } from "./read-query.ts";

const product = (name: string, brand: string): StoredProduct => ({
  ...fakeMug("catalog", 1, { name, brand }),
  id: productId("catalog", "MUG1"),
  rowId: 1,
  slug: "mug",
  reviewCount: 0,
  isVerified: false,
  isBoosted: false,
  discountVal: 0,
  priceSinceMs: 0,
  createdAtMs: 0,
  updatedAtMs: 0,
});

/** Every search finds the one product. */
async function read(text: string, product: StoredProduct) {
  const searched: string[] = [];
  const result = await readQuery(
    {
      catalogStore: { findByRowIds: async () => [product] },
      textSearch: {
        search: async ({ text: words }) => {
          searched.push(words);
          return { rowIds: [1], total: 1, sourceHas: "thing", droppedWords: [] };
        },
      },
      currency: "USD",
    },
    text,
    new AbortController().signal,
  );
  return { ...result, searched };
}

test.each([
  ["its name", product("Jeans, CHEAP-Monday", "Nordlys")],
  ["its brand", product("Slim jeans", "Cheap Mónday")],
])("order words that a product has in %s stay text", async (_, product) => {
  expect(await read("cheap monday jeans", product)).toEqual({
    words: "cheap monday jeans",
    filters: {},
    searched: ["cheap monday"],
  });
});

test("order words are an order if no name has them next to the other word", async () => {
  expect(await read("black cheap jeans", product("Cheap black jeans shop", "Nordlys"))).toEqual({
    words: "black jeans",
    filters: {},
    sorting: { sort: "price", order: "asc" },
    searched: ["black cheap", "cheap jeans"],
  });
});

test("a text without order words is read without a search", async () => {
  const { words, searched } = await read("jeans under $50", product("Slim jeans", "Nordlys"));
  expect({ words, searched }).toEqual({ words: "jeans", searched: [] });
});

test("the number of searches is bounded", async () => {
  const { searched } = await read("one cheap two cheapest three cheaper four", product("Jeans", "Nordlys"));
  expect(searched).toHaveLength(4);
});
