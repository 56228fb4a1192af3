import { expect, test } from "vitest";
import { AttributeCounts } from "./attribute-counts.ts";

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
