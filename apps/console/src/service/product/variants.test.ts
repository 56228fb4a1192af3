import type { ProductVariant } from "@product-search/client";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { areDistinct, closestVariant, hasExactVariant, variantAxes } from "./variants.ts";

const variant = (_id: string, attributes: Record<string, string[]>, isInStock = true): ProductVariant => ({
  _id,
  slug: _id,
  url: `https://shop.example/${_id}`,
  price: 1,
  availability: isInStock ? "in_stock" : "out_of_stock",
  attributes,
});

const shirts = [
  variant("a", { size: ["L"], color: ["Cream"], fabric: ["linen"] }),
  variant("b", { size: ["S"], color: ["cream"], fabric: ["linen"] }, false),
  variant("c", { size: ["L"], color: ["Rust"], fabric: ["linen"] }),
  variant("d", { size: ["M"], color: ["Rust"], fabric: ["linen"] }),
];
const [a, b] = shirts;

describe("the variants of a product", () => {
  beforeAll(() => {
    vi.stubGlobal("CSS", { supports: () => false });
  });

  it("differ by some attributes, colours first, sizes in their order", () => {
    const axes = variantAxes(shirts);
    expect(
      axes.map(({ name, isColor, options }) => [name, isColor, options.map(({ value }) => value)]),
    ).toEqual([
      ["color", true, ["Cream", "Rust"]],
      ["size", false, ["S", "M", "L"]],
    ]);
    expect(areDistinct(shirts, axes)).toBe(true);
    expect(areDistinct([...shirts, variant("e", { size: ["M"], color: ["rust"] })], axes)).toBe(false);
    const odd = [variant("x", { constructor: ["1"] }), variant("y", {})];
    expect(variantAxes(odd)[0]?.options.map(({ value }) => value)).toEqual(["1", ""]);
    expect(variantAxes([variant("x", { size: ["S", "M"] }), variant("y", { size: ["S", "M"] })])).toEqual([]);
  });

  it("have colours only in a colour attribute, and only those that are known", () => {
    const blankets = [
      variant("a", { color: ["Rust"], fabric: ["linen"] }),
      variant("b", { color: ["Cream"], fabric: ["cream"] }),
      variant("c", { color: ["Café au lait"], fabric: ["wool"] }),
    ];
    const [color, fabric] = variantAxes(blankets);
    expect(color?.options.map((option) => option.color)).toEqual(["#b7410e", "#fff3d6", undefined]);
    expect(fabric).toMatchObject({ name: "fabric", isColor: false });
    expect(fabric?.options.map((option) => option.color)).toEqual([undefined, undefined, undefined]);
  });

  it("are chosen so that most stays as it is, and one in stock before others", () => {
    const axes = variantAxes(shirts);
    const option = (name: string, value: string) => {
      const found = axes.find((axis) => axis.name === name)?.options.find((one) => one.value === value);
      if (!found) throw new Error(`There is no ${name} ${value}.`);
      return found;
    };
    if (!a || !b) throw new Error("There are no shirts.");
    expect(closestVariant(option("color", "Rust"), a, axes)?._id).toBe("c");
    expect(closestVariant(option("size", "M"), a, axes)?._id).toBe("d");
    expect(closestVariant(option("color", "Cream"), b, axes)?._id).toBe("b");
    expect(hasExactVariant(option("color", "Rust"), a, axes, "color")).toBe(true);
    expect(hasExactVariant(option("size", "M"), a, axes, "size")).toBe(false);
    expect(hasExactVariant(option("size", "S"), a, axes, "size")).toBe(false);
  });
});
