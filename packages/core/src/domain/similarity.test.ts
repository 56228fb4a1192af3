import { describe, expect, it } from "vitest";
import { closestProducts, keepAgreeing, kindInName, shownCategories, withCategories } from "./similarity.ts";

const hits = (...rows: [similarity: number, category?: string][]) =>
  rows.map(([similarity, category]) => ({ similarity, category }));
const categories = (kept: readonly { category?: string | undefined }[]) =>
  kept.map(({ category }) => category);
const watches = (count: number, from = 0.7) =>
  hits(...Array.from({ length: count }, (_, at): [number, string] => [from - at / 100, "Watches"]));

it("drops a lamp and guitars that follow the watches", () => {
  const found = [...watches(23), ...hits([0.4, "Lamps"], [0.39, "Guitars"], [0.38, "Guitars"])];
  expect(categories(keepAgreeing(found, 0.1))).toEqual(watches(23).map(() => "Watches"));
});

it("keeps two categories that the most similar products have alike", () => {
  const found = hits([0.7, "Mugs"], [0.69, "Cups"], [0.68, "Mugs"], [0.67, "Cups"], [0.66, "Mugs"]);
  expect(keepAgreeing(found, 0.1)).toEqual(found);
});

it("keeps a product of any category that is almost the same, and products without a category", () => {
  const found = [...hits([0.97, "Sale"]), ...watches(9), ...hits([0.4], [0.4, "Sale"])];
  const kept = keepAgreeing(found, 0.1);
  expect(categories(kept)).toEqual(["Sale", ...watches(9).map(() => "Watches"), undefined]);
});

it("measures the evidence from the typical similarity, which is high with some models", () => {
  const found = hits([0.95, "Mugs"], [0.94, "Mugs"], [0.66, "Lamps"], [0.65, "Lamps"], [0.64, "Lamps"]);
  expect(categories(keepAgreeing(found, 0))).toContain("Lamps");
  expect(categories(keepAgreeing(found, 0.6))).toEqual(["Mugs", "Mugs"]);
});

it("keeps what there is without categories", () => {
  expect(keepAgreeing(hits([0.7], [0.3]), 0.1)).toHaveLength(2);
  expect(keepAgreeing([], 0.1)).toEqual([]);
});

it("hears products that are not similar enough to be kept", () => {
  const lamp = hits([0.3, "Lamps"]);
  const nearest = [...lamp, ...hits([0.24, "Mugs"], [0.24, "Mugs"], [0.23, "Mugs"], [0.22, "Mugs"])];
  expect(keepAgreeing(lamp, 0)).toEqual(lamp);
  expect(keepAgreeing(lamp, 0, nearest)).toEqual([]);
});

describe("the categories that an image shows", () => {
  const far = hits([0.05, "Rugs"]);

  it.each([
    [
      "those of most of the nearest products",
      [
        [0.5, "Mugs"],
        [0.5, "Mugs"],
        [0.4, "Lamps"],
      ],
      ["Mugs"],
      false,
    ],
    [
      "clear, if nearly all have one",
      [
        [0.5, "Mugs"],
        [0.5, "Mugs"],
        [0.5, "Mugs"],
        [0.2, "Lamps"],
      ],
      ["Mugs"],
      true,
    ],
    [
      "also one with half as much",
      [
        [0.6, "Mugs"],
        [0.58, "Cups"],
        [0.5, "Mugs"],
      ],
      ["Mugs", "Cups"],
      false,
    ],
    [
      "none, if they do not agree",
      [
        [0.5, "Mugs"],
        [0.5, "Cups"],
      ],
      [],
      false,
    ],
    ["none, if most have no category", [[0.5], [0.5], [0.5, "Mugs"]], [], false],
  ] satisfies [string, Parameters<typeof hits>, string[], boolean][])(
    "are %s",
    (_, nearest, categories, isClear) => {
      expect(shownCategories([...hits(...nearest), ...far], 0.1)).toEqual({ categories, isClear });
    },
  );

  it("are judged by the last of the nearest if nothing is as similar as is typical", () => {
    const nearest = hits([0.3, "Mugs"], [0.29, "Mugs"], [0.2, "Lamps"], [0.1, "Rugs"]);
    expect(shownCategories(nearest, 0.4)).toEqual({ categories: ["Mugs"], isClear: true });
  });

  it("are none without products, and with one alone", () => {
    expect(shownCategories([], 0)).toEqual({ categories: [], isClear: false });
    expect(shownCategories(hits([0.1, "Mugs"]), 0.2)).toEqual({ categories: [], isClear: false });
  });
});

describe("the closest products", () => {
  const found = hits([0.3, "Mugs"], [0.29, "Mugs"], [0.28, "Lamps"], [0.27], [0.26, "Lamps"], [0.25, "Mugs"]);

  it("are those of the categories that the image clearly shows, and those without one", () => {
    const closest = closestProducts(found, { categories: ["Mugs"], isClear: true });
    expect(categories(closest)).toEqual(["Mugs", "Mugs", undefined, "Mugs"]);
  });

  it("are of the nearest categories in turn if it is not clear what it shows", () => {
    const closest = closestProducts(found, { categories: ["Mugs"], isClear: false });
    expect(categories(closest)).toEqual(["Mugs", "Lamps", undefined, "Mugs", "Lamps", "Mugs"]);
    expect(closest.map(({ similarity }) => similarity)).toEqual([0.3, 0.28, 0.27, 0.29, 0.26, 0.25]);
  });

  it("are of five categories at most, and none without products", () => {
    const many = hits(...Array.from({ length: 9 }, (_, n): [number, string] => [0.5 - n / 100, `C${n}`]));
    expect(closestProducts(many, { categories: [], isClear: false })).toHaveLength(5);
    expect(closestProducts([], { categories: [], isClear: false })).toEqual([]);
  });
});

it("adds the categories of the products that still exist", () => {
  const found = [
    { rowId: 1, similarity: 0.9 },
    { rowId: 2, similarity: 0.8 },
  ];
  expect(
    withCategories(found, [{ rowId: 1, category: "Mugs", name: "Orzola Cata Coffee Mug, Red" }]),
  ).toEqual([
    { rowId: 1, similarity: 0.9, category: "Mugs", kind: "coffee mug" },
    { rowId: 2, similarity: 0.8, category: undefined, kind: undefined },
  ]);
});

const named = (...rows: [similarity: number, name: string][]) =>
  rows.map(([similarity, name]) => ({ similarity, category: "Chairs", kind: kindInName(name) }));

it("drops chairs of another kind if the names of the most similar ones agree", () => {
  const stools = Array.from({ length: 9 }, (_, at): [number, string] => [
    0.8 - at / 100,
    `Brand ${at} Bar Stool, Red`,
  ]);
  const found = named(...stools, [0.5, "Brand Dining Chair, Oak"], [0.45, "Other Dining Chair"]);
  expect(keepAgreeing(found, 0.1).map(({ kind }) => kind)).toEqual(stools.map(() => "bar stool"));
});

it("keeps every kind if the names are all different", () => {
  const found = named(
    [0.7, "Alba Uno"],
    [0.69, "Brisa Due"],
    [0.68, "Celo Tre"],
    [0.67, "Duna Sei"],
    [0.3, "Elba Ten"],
  );
  expect(keepAgreeing(found, 0.1)).toHaveLength(found.length);
});

it.each([
  ["Skagen Loft Renquimar Bar Stool, Tan Bamboo", "bar stool"],
  ["Kettleby Grao 8 Espresso Cup", "espresso cup"],
  ["Mug (350 ml)", "mug"],
  ["Étoile Brume – 12", "etoile brume"],
  ["42", undefined],
])("reads the kind in the name %s", (name, kind) => {
  expect(kindInName(name)).toBe(kind);
});
