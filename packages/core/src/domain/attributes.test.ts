import { expect, test } from "vitest";
import { AttributeCounts, toAttributes } from "./attributes.ts";

test("names are in lower case without extra space, and no value is there twice", () => {
  const pairs = [
    [" Color ", "Black"],
    ["COLOR", " Black "],
    ["color", "Navy"],
    ["Energy  class", "A"],
    ["size", " "],
    ["", "x"],
    ["__proto__", "y"],
  ] as const;
  const { attributes, cut } = toAttributes(pairs);
  expect(Object.entries(attributes ?? {})).toEqual([
    ["color", ["Black", "Navy"]],
    ["energy class", ["A"]],
    ["__proto__", ["y"]],
  ]);
  expect(cut).toEqual([]);
  expect(toAttributes([]).attributes).toBeUndefined();
});

test("what is too much or too long is cut and named", () => {
  const names = Array.from({ length: 52 }, (_, at) => [`name ${at}`, "x"] as const);
  expect(Object.keys(toAttributes(names).attributes ?? {})).toHaveLength(50);
  expect(toAttributes(names).cut).toEqual(["name 50", "name 51"]);
  const values = Array.from({ length: 25 }, (_, at) => ["size", `${at}`] as const);
  expect(toAttributes([...values, ["size", "3"]])).toMatchObject({
    attributes: { size: { length: 20 } },
    cut: ["size", "size", "size", "size", "size"],
  });
  const { attributes, cut } = toAttributes([["n".repeat(51), "v".repeat(201)]]);
  expect(cut).toEqual(["n".repeat(50), `${"n".repeat(49)}…`]);
  expect(Object.entries(attributes ?? {})).toEqual([[`${"n".repeat(49)}…`, [`${"v".repeat(199)}…`]]]);
});

const own = (number: number) => ({ [`own ${number}`]: ["a"] });

test("ranks names by their products, whatever their case, and says which are no filters", () => {
  const counts = new AttributeCounts();
  for (let i = 0; i < 499; i++) counts.addAll(own(i));
  counts.addAll({ Colour: ["red"], "COLOUR ": ["blue"] });
  expect(counts.describeOthers()).toBeUndefined();
  counts.addAll({ colour: ["red"], Width: ["1 m"] });
  expect(counts.mostFrequent(1)).toEqual(["colour"]);
  expect(counts.describeOthers()).toMatch(/^1 attribute names are no filters .*: "width"$/);
});

test("of very many names, keeps the frequent ones in bounded memory", () => {
  const counts = new AttributeCounts();
  for (let i = 0; i < 120_000; i++) counts.addAll({ ...own(i), ...(i % 100 === 0 && { finish: ["matt"] }) });
  expect(counts.mostFrequent(1)).toEqual(["finish"]);
  expect(counts.describeOthers()).toMatch(/^More than 49,500 attribute names/);
});
