import { storedProduct } from "@product-search/testing/naive-catalog.ts";
import { describe, expect, it } from "vitest";
import { nameObjects } from "./detect-objects.ts";

const signal = AbortSignal.timeout(60_000);
const found = (name: string, model = "m") => ({
  name,
  confidence: 1,
  box: { x: 0, y: 0, width: 1, height: 1 },
  crop: new Uint8Array(),
  descriptor: { model, vector: Float32Array.of(1) },
});

/** A catalog whose similar products have these categories. */
const catalogOf = (...categories: (string | undefined)[]) => ({
  vectorSearch: {
    model: () => "m",
    typicalSimilarity: () => 0,
    search: async ({ limit }: { limit: number }) =>
      categories.slice(0, limit).map((_, rowId) => ({ rowId, similarity: 1 })),
  },
  catalogStore: {
    findByRowIds: async (rowIds: readonly number[]) =>
      rowIds.map((rowId) => ({ ...storedProduct(rowId), ...withCategory(categories[rowId]) })),
  },
});
const withCategory = (category: string | undefined) => (category === undefined ? {} : { category });

const namesOf = async (
  ...[catalog, objects]: [Parameters<typeof nameObjects>[0], ReturnType<typeof found>[]]
) => (await nameObjects(catalog, objects, signal)).map(({ name }) => name);

describe("an object that the detector cannot name", () => {
  it.each([
    ["the category of most similar products", ["Mugs", "Vases", "Mugs"], "Mugs"],
    ["no name when they do not agree", ["Mugs", "Vases"], "object"],
    ["no name when most have no category", [undefined, undefined, "Mugs"], "object"],
    ["no name when nothing is similar", [], "object"],
  ])("has %s", async (_, categories, name) => {
    expect(await namesOf(catalogOf(...categories), [found("object")])).toEqual([name]);
  });

  it("is named by products that are less similar than is typical, with little confidence", async () => {
    const mugs = catalogOf("Mugs", "Mugs", "Mugs", "Lamps");
    const search = async ({ minSimilarity }: { minSimilarity: number }) =>
      [0.3, 0.29, 0.28, 0.1]
        .map((similarity, rowId) => ({ rowId, similarity }))
        .filter(({ similarity }) => similarity >= minSimilarity);
    const drawings = {
      ...mugs,
      vectorSearch: { ...mugs.vectorSearch, typicalSimilarity: () => 0.4, search },
    };
    const [named] = await nameObjects(drawings, [found("object")], signal);
    expect(named?.name).toBe("Mugs");
    expect(named?.confidence).toBeLessThan(0.35);
  });

  it("has no name before its model is searched", async () => {
    expect(await namesOf(catalogOf("Mugs"), [found("object", "newer")])).toEqual(["object"]);
  });
});

it("an object that the detector names keeps its name", async () => {
  expect(await namesOf(catalogOf("Mugs", "Mugs"), [found("cup"), found("object")])).toEqual(["cup", "Mugs"]);
});

describe("the confidence", () => {
  const confidenceOf = async (catalog: Parameters<typeof nameObjects>[0], name = "object", box = 0.9) =>
    (await nameObjects(catalog, [{ ...found(name), confidence: box }], signal))[0]?.confidence ?? 0;

  it("is the detector's for an object that the catalog does not name", async () => {
    expect(await confidenceOf(catalogOf("Mugs"), "cup", 0.7)).toBe(0.7);
    expect(await confidenceOf(catalogOf("Mugs", "Vases"), "object", 0.7)).toBe(0.7);
  });

  it("of a name grows with the agreement and the similarity of the products, and with the box", async () => {
    const mugs = catalogOf("Mugs", "Mugs", "Mugs");
    const agreed = await confidenceOf(mugs);
    const mixed = await confidenceOf(catalogOf("Mugs", "Vases", "Mugs"));
    const faint = {
      ...mugs,
      vectorSearch: { ...mugs.vectorSearch, search: async () => [{ rowId: 0, similarity: 0.25 }] },
    };
    expect(agreed).toBeGreaterThan(mixed);
    expect(agreed).toBeGreaterThan(await confidenceOf(faint));
    expect(agreed).toBeGreaterThan(await confidenceOf(mugs, "object", 0.55));
    expect(agreed).toBeLessThanOrEqual(1);
  });
});
