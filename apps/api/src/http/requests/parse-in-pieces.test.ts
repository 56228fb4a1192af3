import { setImmediate as nextLoop } from "node:timers/promises";
import { createFairQueue } from "@product-search/core/mechanisms/fair-queue.ts";
import { describe, expect, it } from "vitest";
import { parseInPieces } from "./parse-in-pieces.ts";

const parse = (text: string): unknown => JSON.parse(text);
const inPieces = (text: string) => parseInPieces(Buffer.from(text), parse);

describe("parses the same as at once", () => {
  it.each([
    ['{"products":[{"id":1},{"id":2}]}'],
    ['{ "source" : "catalog" , "products" : [ {"a":[{"b":{}}]} , [] , 1, "x", null, {"c":"]}{[\\"\\\\"} ] }'],
    ['{"a":{"b":[{"c":1}]},"d":[[{"e":1}],{"f":[{"g":1}]}]}'],
    ['[{"a":1},[{"b":2}]]'],
    ['{"a":[{"x":1}],"a":[{"x":2},{"x":3}],"1":[{"y":"ü😀"}]}'],
    ['{"a":[{"at":7}]}'],
    ["{}"],
    ["[]"],
    ['"text"'],
    ["5"],
    ["null"],
  ])("%s", async (text) => {
    expect(await inPieces(text)).toEqual(JSON.parse(text));
  });

  it("random values", async () => {
    let state = 47;
    const random = (count: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return (state >>> 8) % count;
    };
    const texts = ["", '"', "\\", "{", "}]", '\\"', "ü😀", "[", "at"];
    const value = (depth: number): unknown => {
      const kind = random(depth > 4 ? 3 : 6);
      if (kind === 0) return random(100);
      if (kind === 1) return texts[random(texts.length)];
      if (kind === 2) return [null, true][random(2)];
      if (kind === 3) return Array.from({ length: random(4) }, () => value(depth + 1));
      return Object.fromEntries(
        Array.from({ length: random(4) }, () => [texts[random(texts.length)] ?? "", value(depth + 1)]),
      );
    };
    for (let round = 0; round < 2000; round++) {
      const text = JSON.stringify(value(0), undefined, random(2));
      expect(await inPieces(text)).toEqual(JSON.parse(text));
    }
  });
});

it.each([
  ['{"products":[{"id":1}{"id":2}]}'],
  ['{"products":[1{"id":2}]}'],
  ['{"products":[{"id":1},]}'],
  ['{"products":[{"id":1]}}'],
  ['{"products":[{"id":1}}]'],
  ['{"products":[{"id":1}]'],
  ['{"products":[{"id":1}]}}'],
  ['{"products":[{"id":"1}]}'],
  ['{"products":[{id:1}]}'],
  ["]{}["],
  ["}}}"],
  [""],
])("refuses %s", async (text) => {
  await expect(inPieces(text)).rejects.toThrow(SyntaxError);
});

it.each([
  ["lists in the list", `{"products":[${"[],".repeat(20_001)}[]]}`],
  ["numbers in the list", `{"products":[${"1,".repeat(20_001)}1]}`],
  ["small objects in the list", `{"products":[${"{},".repeat(20_001)}{}]}`],
  ["members around the list", `{${'"a":1,'.repeat(20_001)}"products":[]}`],
  ["lists in lists", `{"products":${"[".repeat(20_001)}${"]".repeat(20_001)}}`],
])("refuses before parsing what would be parsed in a long piece: %s", async (_, text) => {
  const parsed: string[] = [];
  const parsing = parseInPieces(Buffer.from(text), (piece) => parsed.push(piece));
  await expect(parsing).rejects.toThrow("more than 20000 values");
  expect(Math.max(0, ...parsed.map(({ length }) => length))).toBeLessThan(3);
});

it.each([
  ["a list", `{"a":[${"{},".repeat(20_001)}{}]}`],
  ["members", `{${'"a":1,'.repeat(20_001)}"b":1}`],
])("does not parse an object with too many values, alone: %s", async (_, text) => {
  expect(await inPieces(`{"products":[{"b":1},${text},{"c":1}]}`)).toEqual({
    products: [{ b: 1 }, [], { c: 1 }],
  });
});

it("lets others have their turn between the pieces of a large body", async () => {
  const row = { name: "Stoneware mug", description: "A mug ".repeat(1500) };
  const value = { products: Array.from({ length: 1000 }, () => row) };
  const body = Buffer.from(JSON.stringify(value));
  const threadMs = () => process.threadCpuUsage().user / 1000;
  const startMs = threadMs();
  let longestMs = 0;
  let isDone = false;
  const watch = async () => {
    for (let before = threadMs(); !isDone; before = threadMs()) {
      await nextLoop();
      longestMs = Math.max(longestMs, threadMs() - before);
    }
  };
  const watching = watch();
  const parsed = await createFairQueue().run(
    "caller",
    () => new AbortController().signal,
    () => parseInPieces(body, parse),
  );
  isDone = true;
  await watching;
  expect(parsed).toEqual(value);
  expect(longestMs / (threadMs() - startMs)).toBeLessThan(0.5);
});
