import { namedSeed, testSeed } from "@product-search/testing/seed.ts";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";

const print = vi.spyOn(console, "log").mockReturnValue();
afterEach(() => {
  vi.unstubAllEnvs();
  print.mockClear();
});

describe("the seed of a random test", () => {
  it.each([{ fixed: undefined }, { fixed: 1 }])("is SEED, and is printed ($fixed)", ({ fixed }) => {
    vi.stubEnv("SEED", "4711");
    expect(testSeed("kills", fixed)).toBe(4711);
    expect(print).toHaveBeenCalledWith("The seed of kills is 4711. To repeat it: SEED=4711");
  });

  it("is otherwise the fixed one, or a new one, which SEED accepts", () => {
    vi.stubEnv("SEED", undefined);
    expect(testSeed("kills", 3)).toBe(3);
    const seed = testSeed("kills");
    expect(print).toHaveBeenLastCalledWith(expect.stringContaining(`SEED=${seed}`));
    vi.stubEnv("SEED", `${seed}`);
    expect(namedSeed()).toBe(seed);
  });

  it.each(["x", "-1", "1.5", "2147483648", "1e3"])("refuses SEED=%s", (text) => {
    vi.stubEnv("SEED", text);
    expect(namedSeed).toThrow(`SEED=${text}: write a whole number`);
  });
});

describe("properties of fast-check", () => {
  it("begin with SEED, also in other packages", async () => {
    vi.stubEnv("SEED", "23");
    vi.resetModules();
    await import("@product-search/testing/fast-check-seed.ts");
    expect(fc.readConfigureGlobal().seed).toBe(23);
    expect(() => fc.assert(fc.property(fc.nat(), (value) => value < 0))).toThrow(/seed: 23\b/);
    fc.resetConfigureGlobal();
  });
});
