import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { collectResults } from "./failed-tests.mjs";

const errorOf = (name: string, line: number) => [
  `api:test:  FAIL  test/${name}.test.ts > adds`,
  "api:test: AssertionError: expected [ 1 ] to deeply equal []",
  "api:test:",
  "api:test: + received",
  `api:test:  ❯ test/${name}.test.ts:${line}:3`,
];

it("names failed tests with their errors, and nothing else", async () => {
  const output = [
    "api:test:  ✓ one.test.ts (3 tests)",
    ...errorOf("two", 7),
    "api:test:      5| const a = 1;",
    "api:test:  ✓ three.test.ts (1 test)",
    ...errorOf("four", 8),
    ...errorOf("two", 7),
  ];
  const from = new PassThrough();
  const results = collectResults();
  results.copy(from, new PassThrough().resume());
  from.end(`${output.join("\n")}\n`);
  await expect.poll(results.failed).toEqual([...errorOf("two", 7), ...errorOf("four", 8)]);
});

it("names a test although there were many errors before", async () => {
  const from = new PassThrough();
  const results = collectResults();
  results.copy(from, new PassThrough().resume());
  for (let test = 0; test < 50; test++) from.write(`${errorOf(`test-${test}`, 1).join("\n")}\n`);
  from.end();
  await expect.poll(() => results.failed().filter((line) => line.includes("FAIL"))).toHaveLength(50);
  expect(results.failed().length).toBeLessThan(200);
});

it("names the skipped suites by what they need, each once", async () => {
  const from = new PassThrough();
  const results = collectResults();
  results.copy(from, new PassThrough().resume());
  from.write("api:test: SKIPPED: leases on PostgreSQL | it needs PostgreSQL; `pnpm start` starts one\n");
  from.write("api:test: SKIPPED: promtool | promtool is not installed (Debian: prometheus)\n");
  from.write("api:test: SKIPPED: leases on PostgreSQL | it needs PostgreSQL; `pnpm start` starts one\n");
  from.end("SKIPPED: webhooks on PostgreSQL | it needs PostgreSQL; `pnpm start` starts one\n");
  await expect
    .poll(results.skipped)
    .toEqual([
      "!! NOT run, because it needs PostgreSQL; `pnpm start` starts one:\n   leases on PostgreSQL\n   webhooks on PostgreSQL",
      "!! NOT run, because promtool is not installed (Debian: prometheus):\n   promtool",
    ]);
});
