import { testSeed } from "@product-search/testing/seed.ts";
import { expect, it, onTestFinished } from "vitest";
import { createFeedTarget } from "./fuzz/feeds.ts";
import { createHttpTarget } from "./fuzz/http-frame.ts";
import { createImageTarget } from "./fuzz/images.ts";
import { createIndexFileTarget } from "./fuzz/index-files.ts";
import { type FuzzTarget, runTarget } from "./fuzz/run-target.ts";

const harmless: FuzzTarget = {
  maxMs: 1000,
  maxGrowthMb: 100,
  next: (random) => Buffer.of(Math.floor(random() * 256)),
  run: async ([byte = 0]) => (byte < 128 ? "accepted" : "refused"),
};

it("finds inputs that throw, are slow or leak memory", async () => {
  const kept: Buffer[] = [];
  const keepMegabyte = async () => {
    kept.push(Buffer.alloc(1_000_000));
    return "accepted" as const;
  };
  const planted: [RegExp, Partial<FuzzTarget>][] = [
    [
      /Error: seven/,
      { run: async ([byte]) => (byte === 7 ? Promise.reject(new Error("seven")) : "refused") },
    ],
    [/allowed: 5 ms/, { maxMs: 5, run: async () => new Promise((end) => setTimeout(end, 10, "refused")) }],
    [/memory grew/, { run: keepMegabyte }],
  ];
  for (const [finding, fault] of planted) {
    const { findings } = await runTarget({ ...harmless, ...fault }, { inputs: 500, seed: 1 });
    expect(findings).toContainEqual(expect.stringMatching(finding));
  }
  expect((await runTarget(harmless, { inputs: 500, seed: 1 })).findings).toEqual([]);
});

/** Slow targets get fewer inputs. */
it.each([
  ["feeds", 4000, createFeedTarget],
  ["images", 500, createImageTarget],
  ["index files", 2000, createIndexFileTarget],
  ["HTTP bytes", 2000, createHttpTarget],
] as const)("finds nothing in changed %s", { timeout: 300_000 }, async (part, inputs, open) => {
  const target = await open();
  onTestFinished(() => target.close?.());
  const figures = await runTarget(target, { inputs, seed: testSeed(`the changed ${part}`, 1) });
  expect(figures.findings).toEqual([]);
  expect(figures.accepted + figures.refused).toBe(inputs);
});
