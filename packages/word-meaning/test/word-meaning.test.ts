import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { openWordMeaning, readWordTable } from "../src/index.ts";

const buffer = readWordTable();
const meaning = openWordMeaning(buffer);

function similarity(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => meaning.vectorOf(text.split(" ")));
  return a?.reduce((sum, value, i) => sum + value * (b?.[i] ?? 0), 0) ?? Number.NaN;
}

function isAbove(name: string, other: string): boolean {
  const above = meaning.meaningsAbove(other);
  return Array.from(meaning.meaningsOf(name)).some((number) => above.includes(number));
}

describe("the table", () => {
  it("is small, in the package and in memory", () => {
    expect(statSync(new URL("../data/words.bin", import.meta.url)).size).toBeLessThan(5_000_000);
    expect(buffer.byteLength).toBeLessThan(7_000_000);
  });

  it("is opened by another thread without a copy", async () => {
    const code = `
      const { workerData, parentPort } = require("node:worker_threads");
      import(workerData.module).then(({ openWordMeaning }) =>
        parentPort.postMessage(openWordMeaning(workerData.buffer).isThing("chair")));`;
    const module = new URL("../src/index.ts", import.meta.url).href;
    const worker = new Worker(code, { eval: true, workerData: { module, buffer } });
    expect(await new Promise((resolve) => worker.once("message", resolve))).toBe(true);
    await worker.terminate();
  });

  it("refuses another format", () => {
    expect(() => openWordMeaning(new SharedArrayBuffer(64))).toThrow("another format");
  });
});

describe("vectors", () => {
  it("are alike for words of a like meaning", () => {
    expect(similarity("couch", "sofa")).toBeGreaterThan(similarity("couch", "shoe") + 0.3);
    expect(similarity("jogging", "running")).toBeGreaterThan(similarity("jogging", "kettle") + 0.3);
  });

  it("know plurals and the parts of compounds", () => {
    expect(similarity("sofas", "sofa")).toBeGreaterThan(0.8);
    expect(similarity("sofacover", "sofa cover")).toBeCloseTo(1);
  });

  it("have length 1, and are absent for unknown words", () => {
    expect(Math.hypot(...(meaning.vectorOf(["red", "sofa"]) ?? []))).toBeCloseTo(1);
    expect(meaning.vectorOf(["qqxzzy"])).toBeUndefined();
    expect(meaning.vectorOf([])).toBeUndefined();
  });
});

describe("names of things", () => {
  it.each(["chair", "Sleeping Bags", "mug", "guitars"])("%s is a thing", (name) => {
    expect(meaning.isThing(name)).toBe(true);
  });

  it.each(["running", "quickly", "black mesh qqxzzy", ""])("%j is none", (name) => {
    expect(meaning.isThing(name)).toBe(false);
  });

  it("stand above others", () => {
    expect(isAbove("furniture", "armchair")).toBe(true);
    expect(isAbove("footwear", "sandals")).toBe(true);
    expect(isAbove("armchair", "furniture")).toBe(false);
    expect(isAbove("sofa", "couch")).toBe(false);
    expect(isAbove("qqxzzy", "couch")).toBe(false);
  });

  it("are bare unless they are umbrella words", () => {
    expect(meaning.isBareThing("sleeping bag")).toBe(true);
    expect(meaning.isBareThing("swimsuit")).toBe(true);
    expect(meaning.isBareThing("furniture")).toBe(false);
  });
});
