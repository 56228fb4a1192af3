import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { collectDurations } from "./slowest-files.mjs";

const read = async (lines: string[], files: number) => {
  const durations = collectDurations();
  const output = new PassThrough();
  durations.read(output);
  output.end(`${lines.join("\n")}\n`);
  await expect.poll(() => durations.slowest()[0]).toBe(`The slowest of ${files} test files:`);
  return durations.slowest();
};

it("lists the ten slowest files, the slowest first", async () => {
  const lines = Array.from(
    { length: 12 },
    (_, i) => `@product-search/core:test:  ✓ src/file-${i}.test.ts (3 tests) ${100 * (i + 1)}ms`,
  );
  const slowest = await read(["@product-search/core:test: Duration 9s", ...lines], 12);
  expect(slowest).toHaveLength(11);
  expect(slowest[1]).toBe("    1.2 s  @product-search/core src/file-11.test.ts");
  expect(slowest[10]).toBe("    0.3 s  @product-search/core src/file-2.test.ts");
});

it("names a planted slow unit test, but not a slow test of processes", async () => {
  const slowest = await read(
    [
      "api:test:  \u001b[32m✓\u001b[39m src/http/planted.test.ts \u001b[2m(\u001b[22m\u001b[2m1 test\u001b[22m\u001b[2m | \u001b[22m\u001b[33m1 skipped\u001b[39m\u001b[2m)\u001b[22m\u001b[33m 10001\u001b[2mms\u001b[22m\u001b[39m",
      "api:test:  ❯ test/processes/serve.test.ts (4 tests | 1 failed) 90000ms",
      "  ✓  checks  docs-operation.test.ts (1 test) 80000ms",
    ],
    3,
  );
  expect(slowest.slice(1)).toEqual([
    "   90.0 s  api test/processes/serve.test.ts",
    "   80.0 s  docs-operation.test.ts",
    "   10.0 s  api src/http/planted.test.ts",
    "!! api src/http/planted.test.ts takes 10.0 s; a unit test takes at most 10 s. Inject its clock and limits, or move it to test/.",
  ]);
});
