import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { root } from "./docs-blocks.ts";

interface Report {
  testResults: { name: string; message: string; assertionResults: { fullName: string; status: string }[] }[];
}

const folder = mkdtempSync(join(tmpdir(), "test-servers-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What `pnpm test --servers` does in a package of a machine that has no server, no browser and no balancer. */
function runWithout(from: string, ...more: string[]) {
  const file = join(folder, "report.json");
  const suite = join(
    root,
    from === "apps/console" ? "apps/console/test/in-browser.ts" : "packages/testing/src/servers/suite.ts",
  );
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, "related", "--run", "--tagsFilter=servers", suite, ...more].concat(
      "--reporter=json",
      `--outputFile=${file}`,
    ),
    {
      cwd: join(root, from),
      encoding: "utf8",
      env: {
        ...process.env,
        // Everything is built.
        TURBO_HASH: "built",
        TEST_DATABASE_URL: "none",
        TEST_SEARCH_URL: "none",
        CHROMIUM: "none",
        HAPROXY: "none",
      },
    },
  );
  const { testResults }: Report = JSON.parse(readFileSync(file, "utf8"));
  return { status, output: stdout + stderr, testResults };
}

it.each([
  { from: "apps/api", least: 20, more: [] },
  { from: "packages/stores", least: 20, more: [] },
  { from: "packages/opensearch", least: 5, more: [] },
  { from: "apps/bench", least: 1, more: [] },
  { from: "apps/console", least: 15, more: [] },
  { from: "scripts", least: 1, more: ["--project", "checks"] },
])("in $from, suites that need a server are read and skipped without one", ({ from, least, more }) => {
  const { status, output, testResults } = runWithout(from, ...more);
  const faults = testResults
    .filter(({ message }) => message !== "")
    .map(({ name, message }) => [name, message]);
  expect(faults, output).toEqual([]);
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const skipped = tests.filter(({ fullName }) => fullName.includes("was not run: "));
  expect(skipped.length).toBeGreaterThanOrEqual(least);
  expect(tests.filter(({ status }) => status === "passed" || status === "failed")).toEqual([]);
  expect(status, output).toBe(0);
});
