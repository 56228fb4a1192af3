import { createArrayCatalog } from "@product-search/testing/array-catalog.ts";
import { createShop } from "@product-search/testing/shop.ts";
import { expect, it } from "vitest";
import { correctSpelling } from "./spelling.ts";
import { understand } from "./understand.ts";

const { textSearch } = createShop();
const correct = async (text: string, names: readonly string[] = []) =>
  (await correctSpelling(text, names, { textSearch: search, kindFinder }, AbortSignal.timeout(60_000))).text;

/** Knows the meaning of one word. */
const kindFinder = {
  kindsMeant: () => undefined,
  namedThing: () => undefined,
  kindsNear: (text: string) =>
    text === "belt" ? [{ kind: { name: "Bags", category: "Bags", words: "" }, score: 0.1 }] : [],
  isFixedName: () => false,
};

/** The shop corrects one word. */
const search: typeof textSearch = {
  ...textSearch,
  search: async (query, signal) => {
    const hits = await textSearch.search(query, signal);
    return query.text === "sleping" ? { ...hits, total: 2, correctedText: "sleeping" } : hits;
  },
};

it("corrects what the catalog corrects, and words of requests", async () => {
  expect(await correct("chep sleping bags undr 50")).toBe("cheap sleeping bags under 50");
  expect(await correct("how mny tents do you have")).toBe("how many tents do you have");
});

it("says which words were typed", async () => {
  const { typed } = await correctSpelling(
    "chep tents",
    [],
    { textSearch: search, kindFinder },
    AbortSignal.timeout(60_000),
  );
  expect([...typed]).toEqual([["cheap", "chep"]]);
});

it("leaves names, known words and words without a correction alone", async () => {
  const text = "waterproof tents by undr for my niece, a belt, zzyzx";
  expect(await correct(text, ["Undr"])).toBe(text);
});

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
  const { intents } = await understand({ ...shop, currency: "USD" }, request, AbortSignal.timeout(60_000));
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
