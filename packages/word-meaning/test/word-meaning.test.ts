import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openWordMeaning, readMeaning } from "../src/index.ts";

describe("word meaning", () => {
  const memory = readMeaning();
  const meaning = openWordMeaning(memory);

  function isAbove(name: string, other: string): boolean {
    const above = meaning.meaningsAbove(other);
    return Array.from(meaning.meaningsOf(name)).some((number) => above.includes(number));
  }

  describe("the files", () => {
    it.each([
      ["words.bin", 500_000],
      ["encoder.bin", 10_000_000],
    ])("%s is small", (name, bytes) => {
      expect(statSync(new URL(`../data/${name}`, import.meta.url)).size).toBeLessThan(bytes);
    });
  });

  describe("threads", () => {
    it("share the memory, whichever of them needs the encoder first, and get the same vectors", async () => {
      const code = `
      const { workerData, parentPort } = require("node:worker_threads");
      import(workerData.module).then(({ openWordMeaning }) =>
        parentPort.postMessage(openWordMeaning(workerData.memory).vectorOf(workerData.text)));`;
      const module = new URL("../src/index.ts", import.meta.url).href;
      const text = "something to keep my coffee hot";
      const shared = readMeaning();
      const vectorsOf = Array.from({ length: 3 }, () => {
        const worker = new Worker(code, { eval: true, workerData: { module, memory: shared, text } });
        return new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
      });
      const own = openWordMeaning(shared).vectorOf(text);
      for (const vector of await Promise.all(vectorsOf)) expect(vector).toEqual(own);
    });

    it("do not load the weights before they are needed", () => {
      const { encoder } = readMeaning();
      expect(new Uint8Array(encoder.buffer).every((byte) => byte === 0)).toBe(true);
    });
  });

  describe("vectors", () => {
    it("are alike for texts of a like meaning", () => {
      const similarity = (one: string, other: string) => {
        const vector = meaning.vectorOf(other);
        return meaning.vectorOf(one).reduce((sum, value, i) => sum + value * (vector[i] ?? 0), 0);
      };
      expect(similarity("couch", "sofa")).toBeGreaterThan(similarity("couch", "shoe") + 0.1);
      expect(similarity("something to sit on", "chair")).toBeGreaterThan(
        similarity("something to sit on", "kettle") + 0.1,
      );
    });

    it("have length 1, also of an empty text and of one that is too long", () => {
      for (const text of ["", "red sofa", "qqxzzy ".repeat(500), "x".repeat(5000)])
        expect(Math.hypot(...meaning.vectorOf(text))).toBeCloseTo(1);
    });
  });

  it.each([
    ["sofas", true],
    ["sofacover", true],
    ["qqxzzy", false],
  ])("knows whether %s is a word", (word, isWord) => {
    expect(meaning.isWord(word)).toBe(isWord);
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
});

describe("make words", async () => {
  const execute = promisify(execFile);
  const script = join(import.meta.dirname, "../make/make_words.py");
  const python = process.env.TEST_PYTHON ?? "python3";
  const wordnet = process.env.TEST_WORDNET;
  const modules = "wordsegment";
  const missing =
    wordnet === undefined
      ? "TEST_WORDNET does not name the folder of WordNet's database"
      : await execute(python, ["-c", `import ${modules}`]).then(
          () => undefined,
          (error: unknown) =>
            String(error).match(/ModuleNotFoundError: .*|ENOENT/)?.[0] ?? `${python} does not run`,
        );
  if (missing !== undefined)
    console.log(`SKIPPED: making the words | it needs ${python} (TEST_PYTHON) with ${modules}: ${missing}`);

  it.skipIf(missing !== undefined)("the script writes the file that is in the package", async () => {
    const folder = await mkdtemp(join(tmpdir(), "words-"));
    try {
      const file = join(folder, "words.bin");
      await execute(python, ["-B", script, "--wordnet", wordnet ?? "", "--out", file]);
      const own = new URL("../data/words.bin", import.meta.url);
      expect(inflateSync(await readFile(file)).equals(inflateSync(await readFile(own)))).toBe(true);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
