import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { collectFailedTests } from "./failed-tests.mjs";

it("names failed tests with their errors, and nothing else", async () => {
  const output = [
    "api:test:  ✓ one.test.ts (3 tests)",
    "api:test:  FAIL  test/two.test.ts > adds",
    "api:test: AssertionError: expected [ 1 ] to deeply equal []",
    "api:test: ",
    "api:test: + received",
    "api:test:  ❯ test/two.test.ts:7:3",
    "api:test:      5| const a = 1;",
    "api:test:  ✓ three.test.ts (1 test)",
  ];
  const from = new PassThrough();
  const to = new PassThrough().resume();
  const failed = collectFailedTests();
  failed.copy(from, to);
  from.end(`${output.join("\n")}\n`);
  await expect.poll(() => [...failed.lines]).toEqual(output.slice(1, 6).map((line) => line.trimEnd()));
});
