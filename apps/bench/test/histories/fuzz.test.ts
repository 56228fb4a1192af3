import { testSeed } from "@product-search/testing/seed.ts";
import { expect, it } from "vitest";
import { type FuzzTarget, runTarget } from "../../src/fuzz/run-target.ts";
import { fuzz } from "../../src/fuzz.ts";

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

it("finds nothing in 10 000 inputs", { timeout: 300_000 }, async () => {
  const figures = await fuzz({ inputs: 10_000, seed: testSeed("the changed inputs", 1) });
  for (const [part, { findings, accepted, refused, inputs }] of Object.entries(figures)) {
    expect(findings, part).toEqual([]);
    expect(accepted + refused, part).toBe(inputs);
  }
});
