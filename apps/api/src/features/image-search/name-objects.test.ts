import { describe, expect, it } from "vitest";
import { nameObjects } from "./name-objects.ts";

const signal = AbortSignal.timeout(10_000);
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

describe("an object that the detector cannot name", () => {
  it.each([
    ["the category of most similar products", ["Mugs", "Vases", "Mugs"], "Mugs"],
    ["no name when they do not agree", ["Mugs", "Vases"], "object"],
    ["no name when most have no category", [undefined, undefined, "Mugs"], "object"],
    ["no name when nothing is similar", [], "object"],
  ])("has %s", async (_, categories, name) => {
    expect(await nameObjects(catalogOf(...categories), [found("object")], signal)).toEqual([name]);
  });

  it("has no name before its model is searched", async () => {
    expect(await nameObjects(catalogOf("Mugs"), [found("object", "newer")], signal)).toEqual(["object"]);
  });
});

it("an object that the detector names keeps its name", async () => {
  const names = await nameObjects(catalogOf("Mugs", "Mugs"), [found("cup"), found("object")], signal);
  expect(names).toEqual(["cup", "Mugs"]);
});

function storedProduct(rowId: number) {
  return {
    rowId,
    id: String(rowId),
    source: "catalog" as const,
    key: String(rowId),
    slug: `p-${rowId}`,
    name: "any",
    storeName: "any",
    description: "",
    url: "/",
    images: [],
    priceMinor: 1,
    availability: "in_stock" as const,
    reviewCount: 0,
    isVerified: false,
    isBoosted: false,
    discountVal: 0,
    priceSinceMs: 0,
    createdAtMs: 0,
    updatedAtMs: 0,
  };
}
