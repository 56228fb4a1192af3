import { describe, expect, it } from "vitest";
import {
  attributeTitle,
  inNaturalOrder,
  readAttributeFilter,
  writeAttributeFilter,
} from "./catalog-address.ts";

describe("a filter on an attribute", () => {
  it.each([
    ["color", "Black"],
    ["width: front", "10:20"],
    ["back\\slash", "a, b \\ c"],
  ])("is read as it was written: %s %s", (name, value) => {
    expect(readAttributeFilter(writeAttributeFilter(name, value))).toEqual({ name, value });
  });

  it.each(["", "color", ":Black", "color:", "color: "])("%j is none", (text) => {
    expect(readAttributeFilter(text)).toBeUndefined();
  });

  it("has a title", () => {
    expect(attributeTitle("age_group")).toBe("Age group");
  });
});

describe("the values of an attribute", () => {
  const ordered = (...values: string[]) =>
    inNaturalOrder(values.map((value) => ({ value }))).map(({ value }) => value);

  it("have the order of sizes and numbers, and else the one they came in", () => {
    expect(ordered("XL", "s", "M")).toEqual(["s", "M", "XL"]);
    expect(ordered("10 cm", "9.5 cm", "100 cm")).toEqual(["9.5 cm", "10 cm", "100 cm"]);
    expect(ordered("38", "S")).toEqual(["S", "38"]);
    expect(ordered("red", "blue", "10")).toEqual(["red", "blue", "10"]);
  });
});
