import { createClient } from "@product-search/client";
import { describe, expect, it } from "vitest";
import {
  categoryTree,
  hasChosenBelow,
  inSentence,
  isCategoryChosen,
  readShownCategories,
  toggleCategory,
} from "./category-tree.ts";

const counted = (...paths: string[]) => paths.map((value, index) => ({ value, count: 100 - index }));
const [garden] = categoryTree(
  counted("Garden", "Garden > Pots", "Tools", "Garden > Pots > Clay", "Garden > Seeds"),
);
if (!garden) throw new Error("The tree is empty.");
const [pots] = garden.children;
if (!pots) throw new Error("The tree has one level.");

describe("the tree of categories", () => {
  it("has each path below its parent, in the order of the counts", () => {
    expect(garden.children.map(({ name, count }) => [name, count])).toEqual([
      ["Pots", 99],
      ["Seeds", 96],
    ]);
    expect(pots.children.map(({ path }) => path)).toEqual(["Garden > Pots > Clay"]);
    expect(categoryTree(counted("Mugs", "Lamps")).map(({ path }) => path)).toEqual(["Mugs", "Lamps"]);
    expect(categoryTree(counted("Home > Mugs")).map(({ name }) => name)).toEqual(["Mugs"]);
    expect(categoryTree([])).toEqual([]);
  });

  it("adds up the spellings of a category", () => {
    const [lamps, ...others] = categoryTree([
      { value: "Lamps", count: 900 },
      { value: "lamps", count: 5 },
    ]);
    expect(lamps).toMatchObject({ path: "Lamps", name: "Lamps", count: 905 });
    expect(others).toEqual([]);
  });

  it("finds what is chosen by its path and by its name, without case and accents", () => {
    expect(isCategoryChosen(pots, ["garden > pots"])).toBe(true);
    expect(isCategoryChosen(pots, ["Póts"])).toBe(true);
    expect(isCategoryChosen(pots, ["Garden"])).toBe(false);
    expect(hasChosenBelow(garden, ["clay"])).toBe(true);
    expect(hasChosenBelow(pots, ["Seeds"])).toBe(false);
  });

  it("lets a choice replace those above and below it, and no others", () => {
    expect(toggleCategory(pots, ["Garden", "Tools"])).toEqual(["Tools", "Garden > Pots"]);
    expect(toggleCategory(garden, ["Garden > Pots > Clay"])).toEqual(["Garden"]);
    expect(toggleCategory(pots, ["Garden > Seeds"])).toEqual(["Garden > Seeds", "Garden > Pots"]);
    expect(toggleCategory(pots, ["pots", "Tools"])).toEqual(["Tools"]);
  });
});

/** A service that has these products in any of two categories. */
const clientWith = (unions: Record<string, number>) =>
  createClient({
    baseUrl: "https://search.example/api/v1",
    token: "x",
    fetch: async (request) => {
      const names = new URL(new Request(request).url).searchParams.get("categories") ?? "";
      return Response.json({ status: "success", Products: [], count: unions[names] ?? 0 });
    },
  });

const read = (client: ReturnType<typeof clientWith>, maxCount: number) =>
  readShownCategories(client, {
    categories: [
      { value: "187", count: 40 },
      { value: "Trail Backpacks", count: 16 },
      { value: "Backpacks", count: 16 },
      { value: "Crew Socks", count: 8 },
      { value: "Socks", count: 8 },
      { value: "Mugs", count: 8 },
    ],
    maxCount,
    grouped: true,
    signal: new AbortController().signal,
  }).then((categories) => categories.map(({ value }) => value));

it("shows categories with names, and one of those with the same products", async () => {
  const client = clientWith({ "Backpacks,Trail Backpacks": 16, "Socks,Crew Socks": 12 });
  expect(await read(client, 12)).toEqual(["Backpacks", "Crew Socks", "Socks", "Mugs"]);
  expect(await read(client, 2)).toEqual(["Backpacks", "Crew Socks"]);
});

it.each([
  ["Rain Coats", "rain coats"],
  ["Kühltaschen", "kühltaschen"],
  ["T-Shirts", "T-shirts"],
  ["TVs & USB Cables", "TVs & USB cables"],
  ["iPhone cases", "iPhone cases"],
])("%s is %s inside a sentence", (name, text) => {
  expect(inSentence(name)).toBe(text);
});
