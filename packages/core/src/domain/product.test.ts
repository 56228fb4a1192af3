import { expect, test } from "vitest";
import { categoryPathsOf, splitCategoryPath, toCategories } from "./product.ts";

test.each([
  ["Home > Furniture > Sofas", ["Home", "Furniture", "Sofas"]],
  ["Home>Furniture", ["Home", "Furniture"]],
  [" > Home > > Sofas >", ["Home", "Sofas"]],
  ["Sofas & Chairs", ["Sofas & Chairs"]],
  [" ", []],
])("%j has the levels %j", (text, levels) => {
  expect(splitCategoryPath(text)).toEqual(levels);
});

test("another separator can be given", () => {
  expect(splitCategoryPath("Home/Sofas > 2 m", "/")).toEqual(["Home", "Sofas > 2 m"]);
});

test("the first category is the main one, and none is there twice", () => {
  const paths = [["Home", "Sofas"], ["Gifts"], ["Home", "Sofas"], []];
  const categories = toCategories(paths);
  expect(categories).toEqual({ category: "Sofas", categoryPaths: [["Home", "Sofas"], ["Gifts"]] });
  expect(categoryPathsOf(categories)).toEqual([["Home", "Sofas"], ["Gifts"]]);
});

test("a category of one level is a name alone, as in former releases", () => {
  expect(toCategories([["Sofas"]])).toEqual({ category: "Sofas" });
  expect(categoryPathsOf({ category: "Sofas" })).toEqual([["Sofas"]]);
  expect(toCategories([])).toEqual({});
  expect(categoryPathsOf({})).toEqual([]);
});

test("a path has at most eight levels", () => {
  const path = Array.from("abcdefghij");
  expect(toCategories([path])).toEqual({ category: "h", categoryPaths: [path.slice(0, 8)] });
});
