import { describe, expect, it } from "vitest";
import {
  areNumbers,
  attributeTitle,
  inNaturalOrder,
  readAttributeFilter,
  readRangeFilter,
  writeAttributeFilter,
  writeRangeFilter,
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

describe("a range of an attribute", () => {
  it.each([
    ["width: front", "-1,5", "20"],
    ["capacity", "", "2"],
    ["capacity", "0.5", ""],
  ])("is read as it was written: %s %s %s", (name, min, max) => {
    expect(readRangeFilter(writeRangeFilter(name, min, max))).toEqual({ name, min, max });
  });

  it.each(["capacity:..", "capacity:1", "capacity:2..1", "capacity:a..2", "1..2", "capacity:1e9..2"])(
    "%j is none",
    (text) => {
      expect(readRangeFilter(text)).toBeUndefined();
    },
  );

  it("is offered where all values are numbers", () => {
    const of = (...values: string[]) => areNumbers(values.map((value) => ({ value })));
    expect([of("1 l", "1.5 l", "500 ml"), of("38", "39,5"), of("-3 °C")]).toEqual([true, true, true]);
    expect([of("38", "XL"), of("2 in 1 bag"), of()]).toEqual([false, false, false]);
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
