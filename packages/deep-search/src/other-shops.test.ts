import { createArrayCatalog, type TestProduct } from "@product-search/testing/array-catalog.ts";
import { describe, expect, it } from "vitest";
import { createDeepSearch } from "./deep-search.ts";
import { createBuiltInAnswerWriter } from "./writers/built-in.ts";

/** Answers questions about other shops: their data has other gaps than that of the sample. */
function answersOf(products: readonly TestProduct[]) {
  const deepSearch = createDeepSearch({
    ...createArrayCatalog(products),
    builtInWriter: createBuiltInAnswerWriter(),
    clock: { now: () => Date.UTC(2026, 10, 21) },
    currency: "USD",
  });
  return async (query: string, history: readonly string[] = []) => {
    const { data } = await deepSearch.answer({ query, history }, AbortSignal.timeout(10_000));
    return { ...data, names: data.topProducts.map(({ name }) => name) };
  };
}

describe("a shop that has colours only as attributes", () => {
  const variants = (name: string, category: string, colours: readonly string[], sizes: readonly string[]) =>
    colours.flatMap((colour) =>
      sizes.map(
        (size): TestProduct => ({
          name: `${name}, ${colours.indexOf(colour)} ${size}`,
          price: 40,
          category,
          store: "Black Door",
          description: `One of our best. Also in ${colours.join(", ").toLowerCase()}.`,
          attributes: { color: [colour], size: [size] },
        }),
      ),
    );
  const answer = answersOf([
    ...variants("Fjell hoodie", "Hoodies", ["Crimson", "Navy Blue"], ["S", "M"]),
    ...variants("Moss raincoat", "Raincoats", ["Black", "Navy Blue", "Sun Yellow"], ["M"]),
    ...variants("Vind beanie", "Beanies", ["Mustard", "Navy Blue"], ["One Size"]),
    { name: "Ruga teapot", price: 30, category: "Teapots", attributes: { "primary colour": ["Black"] } },
    {
      name: "Rugo teapot",
      price: 30,
      category: "Teapots",
      attributes: { color: ["Multicolour"] },
      description: "Red and blue stripes.",
    },
    {
      name: "Oro sofa",
      price: 900,
      category: "Sofas",
      attributes: { color: ["Grey"] },
      description: "Red legs.",
    },
  ]);

  it.each([
    ["a crimson hoodie, size M", ["Fjell hoodie, 0 M"]],
    ["black raincoat", ["Moss raincoat, 0 M"]],
    ["beanie in mustard", ["Vind beanie, 0 One Size"]],
    ["a navy beanie", ["Vind beanie, 1 One Size"]],
    ["navy raincoats", ["Moss raincoat, 1 M"]],
    ["yellow raincoats under 60", ["Moss raincoat, 2 M"]],
    ["hoodies under 60 in Navy", ["Fjell hoodie, 1 S", "Fjell hoodie, 1 M"]],
    ["a black teapot", ["Ruga teapot"]],
    ["a teapot in red", ["Rugo teapot"]],
    ["a red and grey sofa", ["Oro sofa"]],
  ])("finds the colour: %s", async (query, names) => {
    const { aiResponse, ...data } = await answer(query);
    expect(data.names).toEqual(names);
    expect(aiResponse).not.toMatch(/comes in|colours differ|not in/u);
  });

  it.each(["a yellow hoodie", "a red sofa", "a black beanie"])(
    "says that there is none: %s",
    async (query) => {
      const { aiResponse } = await answer(query);
      expect(aiResponse).toMatch(/Nothing that otherwise fits comes in/u);
    },
  );
});
