import { createArrayCatalog } from "@product-search/testing/array-catalog.ts";
import { expect, it } from "vitest";
import { understand } from "./understand.ts";

const bottle = { price: 20, category: "Bottles" };
const shop = createArrayCatalog([
  { ...bottle, name: "Alpha steel bottle", brand: "Alpha" },
  { ...bottle, name: "Nordal glass bottle", brand: "Steel" },
  { ...bottle, name: "Beta apple press", brand: "Beta" },
  { ...bottle, name: "Gamma apple peeler", brand: "Gamma" },
  { ...bottle, name: "Delta apple bowl", brand: "Delta" },
  { ...bottle, name: "Talk 7", brand: "Apple" },
  { ...bottle, name: "Velora flask", brand: "Velora" },
]);
const brandsOf = async (request: string) => {
  const { intents } = await understand({ ...shop, currency: "USD" }, request, AbortSignal.timeout(1000));
  return intents[0]?.constraints.brands;
};

it.each([
  ["a steel bottle", undefined],
  ["a bottle by steel", ["Steel"]],
  ["a bottle from Steel", ["Steel"]],
  ["an apple bowl", undefined],
  ["something by apple", ["Apple"]],
  ["an Apple bottle", ["Apple"]],
  ["velora bottles", ["Velora"]],
])("the brands of %s", async (request, brands) => {
  expect(await brandsOf(request)).toEqual(brands);
});
