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
    publicUrl: "https://shop.example",
  });
  return async (query: string, history: readonly string[] = []) => {
    const { data } = await deepSearch.answer({ query, history }, AbortSignal.timeout(60_000));
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

describe("a shop whose sizes have longer names", () => {
  const answer = answersOf([
    { name: "Tarn shoe", price: 80, category: "Shoes", attributes: { "shoe size": ["42"] } },
    { name: "Vale shoe", price: 70, category: "Shoes", attributes: { "shoe size": ["41"] } },
    { name: "Ravn bicycle", price: 700, category: "Bicycles", attributes: { "frame size": ["L"] } },
    { name: "Kite bicycle", price: 600, category: "Bicycles", attributes: { "frame size": ["M"] } },
  ]);

  it.each([
    ["shoes, size 42", ["Tarn shoe"]],
    ["shoes, shoe size 42", ["Tarn shoe"]],
    ["shoes, size 41 or 42", ["Tarn shoe", "Vale shoe"]],
    ["a bicycle, size large", ["Ravn bicycle"]],
  ])("reads %s", async (query, names) => {
    const { aiResponse, ...data } = await answer(query);
    expect(data.names.toSorted()).toEqual(names);
    expect(aiResponse).not.toMatch(/does not confirm/u);
  });
});

describe("a size that the named thing lacks", () => {
  const answer = answersOf([
    { name: "Marlo shirt", price: 30, category: "Shirts", description: "Blue.", attributes: { size: ["M"] } },
    { name: "Lido sofa", price: 700, category: "Sofas", description: "In blue velvet." },
    { name: "Tarn shoe", price: 80, category: "Shoes", description: "Blue.", attributes: { size: ["42"] } },
    { name: "Vale shoe", price: 70, category: "Shoes", description: "Blue.", attributes: { size: ["41"] } },
    {
      name: "Fjord jacket",
      price: 90,
      category: "Jackets",
      description: "Blue.",
      attributes: { size: ["XL"] },
    },
    { name: "Arco bed", price: 300, category: "Beds", attributes: { size: ["King", "40-42"] } },
  ]);

  it.each([
    ["a shirt in blue, size 42", ["Marlo shirt"]],
    ["size 42, a shirt in blue", ["Marlo shirt"]],
    ["sofa in blue, size 42", ["Lido sofa"]],
    ["sofa in blue + size XL", ["Lido sofa"]],
    ["a blue sofa, king size", ["Lido sofa"]],
    ["a blue sofa and size 40-42", ["Lido sofa"]],
    ["a blue sofa, EU 42", ["Lido sofa"]],
    ["a blue sofa, shoe size 42", ["Lido sofa"]],
    ["sofas, XL", ["Lido sofa"]],
    ["blue shoes, size XL", ["Tarn shoe", "Vale shoe"]],
  ])("is said not to be there: %s", async (query, names) => {
    const { aiResponse, ...data } = await answer(query);
    expect(data.names.toSorted()).toEqual(names);
    expect(aiResponse).toMatch(/does not confirm|mentions|not all/u);
  });

  it.each([
    ["shoes in blue, size 42", ["Tarn shoe"]],
    ["shoes, size 41 or 42", ["Tarn shoe", "Vale shoe"]],
    ["a jacket in blue, size XL", ["Fjord jacket"]],
    ["a sofa and size 42 shoes", ["Lido sofa", "Tarn shoe"]],
    ["a bed, size king", ["Arco bed"]],
  ])("is a filter if the thing has it: %s", async (query, names) => {
    const { aiResponse, ...data } = await answer(query);
    expect(data.names.toSorted()).toEqual(names);
    expect(aiResponse).not.toMatch(/does not confirm/u);
  });

  it.each(["size 42", "size 42 please", "in size 42", "and a size 42", "do you have it in size 42?"])(
    "is a condition of the thing before: %s",
    async (query) => {
      expect((await answer(query, ["a blue sofa"])).names).toEqual(["Lido sofa"]);
      expect((await answer(query, ["blue shoes"])).names).toEqual(["Tarn shoe"]);
    },
  );
});

describe("a shop whose categories are only numbers", () => {
  const models = ["Halo", "Brio", "Castor", "Lund"];
  const named = (thing: string, category: string | undefined, more: Partial<TestProduct>) =>
    models.flatMap((model) =>
      ["One", "Two"].map(
        (version): TestProduct => ({
          name: `${thing} ${model} ${version}`,
          price: 60,
          brand: "Lumina",
          ...(category !== undefined && { category }),
          ...more,
        }),
      ),
    );
  const rugs = named("Wool Rug", "598", { description: "Goes well below a floor lamp." });
  const lamps = [
    ...named("Floor Lamp", "187", { attributes: { color: ["Pink"] }, description: "With a linen shade." }),
    ...named("Floor Lamp", "187", { attributes: { color: ["Brass"] }, description: "With a linen shade." }),
  ];
  const answer = answersOf([...lamps, ...rugs]);

  it.each([
    ["floor lamps", 16],
    ["floor lamp", 16],
    ["a floor lamp", 16],
    ["lamps", 16],
    ["a pink floor lamp", 8],
    ["pink floor lamps under 70", 8],
    ["wool rugs", 8],
    ["a rug", 8],
    ["lamp 187", 16],
  ])("finds what their names say: %s", async (query, count) => {
    const { productCount, names, ...texts } = await answer(query);
    expect(productCount).toBe(count);
    expect(names.every((name) => name.startsWith(query.includes("rug") ? "Wool Rug" : "Floor Lamp"))).toBe(
      true,
    );
    expect(texts.aiResponse).not.toMatch(/187|598/u);
    expect(texts.suggestions.join(" ")).not.toMatch(/187|598/u);
    expect(texts.description).not.toMatch(
      query.includes("187") ? /not in the catalog/u : /187|not in the catalog/u,
    );
  });

  it("finds what only descriptions say, if no product is called so", async () => {
    expect((await answersOf(rugs)("floor lamps")).productCount).toBe(8);
    const described = named("Model", "187", { description: "A floor lamp with a linen shade." });
    expect((await answersOf(described)("floor lamps")).productCount).toBe(8);
  });

  it("finds the same without any category", async () => {
    const bare = [...named("Floor Lamp", undefined, {}), ...named("Wool Rug", undefined, {})];
    expect((await answersOf(bare)("floor lamps")).productCount).toBe(8);
  });

  it("says what is not there, and suggests what is", async () => {
    const { aiResponse, suggestions, productCount } = await answer("a sofa");
    expect(productCount).toBe(0);
    expect(aiResponse).toMatch(/no “sofa”/u);
    expect(suggestions).toEqual(["Lumina"]);
  });

  it("still tells a thing from what mentions it where categories have names", async () => {
    const bags = ["Bag", "Sleeve", "Stand"].map((name) => ({
      name: `Laptop ${name}`,
      price: 50,
      category: "Bags",
      description: "Holds a laptop.",
    }));
    const { aiResponse } = await answersOf([...bags, ...lamps])("a laptop");
    expect(aiResponse).toMatch(/no “laptop”/u);
  });
});
