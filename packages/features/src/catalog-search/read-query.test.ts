import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { storedProduct } from "@product-search/testing/naive-catalog.ts";
import { expect, test } from "vitest";
import { readQuery } from "./read-query.ts";

const product = (name: string, brand: string) => storedProduct(1, { name, brand });

/** Every search finds the one product. */
async function read(text: string, product: StoredProduct) {
  const searched: string[] = [];
  const result = await readQuery(
    {
      catalogStore: { findByRowIds: async () => [product] },
      textSearch: {
        hasUnit: async (unit) => unit === "cm",
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

test.each([
  ["lamp over 20 cm", "lamp", [{ unit: "cm", min: 20 }]],
  ["shelf between 30 and 60cm wide", "shelf", [{ unit: "cm", min: 30, max: 60 }]],
  ["over 20 cm and not over 1,000.5 cm lamp", "and lamp", [{ unit: "cm", min: 20, max: 1000.5 }]],
  ["lamp up to 5 kg", "lamp up to 5 kg", undefined],
  ["Lampe bis 40 cm", "Lampe", [{ unit: "cm", max: 40 }]],
  ["lámpara de más de 40 cm", "lámpara de", [{ unit: "cm", min: 40 }]],
  ["lamp 20 cm", "lamp 20 cm", undefined],
  ["lamp 20 cm or more", "lamp", [{ unit: "cm", min: 20 }]],
])("bounds in a unit that the catalog has are read: %s", async (text, words, measures) => {
  expect(await read(text, product("Lamp", "Nordlys"))).toMatchObject({
    words,
    filters: measures === undefined ? {} : { measures },
  });
});
