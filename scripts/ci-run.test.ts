import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { root } from "./docs-blocks.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ci-run-"));
  program("chromium", "exit 0");
  program("haproxy", "exit 0");
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(name: string, body: string): void {
  writeFileSync(join(folder, name), `#!/usr/bin/env bash\n${body}\n`);
  chmodSync(join(folder, name), 0o755);
}

/** Runs parts with an `npx` that only records how it was called. `fails` is a pattern of the calls that fail. */
function run(parts: string[], fails = "nothing") {
  const log = join(folder, "log");
  writeFileSync(log, "");
  program(
    "npx",
    `echo "$* | home $(ls -A "$HOME" | wc -l) \${TEST_DATABASE_URL-unset} \${TEST_SEARCH_URL-unset} \${CHROMIUM-unset} \${HAPROXY-unset} $TMPDIR" >>"${log}"
[[ ! "$*" =~ ${fails} ]]`,
  );
  const { status, stdout, stderr } = spawnSync("bash", [join(root, ".ci/run"), ...parts], {
    encoding: "utf8",
    env: {
      PATH: `${folder}:${process.env.PATH}`,
      HOME: folder,
      TMPDIR: folder,
      TEST_DATABASE_URL: "postgres://here",
      TEST_SEARCH_URL: "http://here",
    },
  });
  const calls = readFileSync(log, "utf8").trimEnd().split("\n");
  return {
    status,
    output: stdout + stderr,
    calls: calls.map((call) => call.replace(/^--yes pnpm@\S+ /, "")),
  };
}

it("runs the README's command with an empty home folder, and without what this machine has", () => {
  const { status, output, calls } = run(["test"]);
  expect({ status, output }).toMatchObject({ status: 0, output: expect.stringContaining("test: passed") });
  expect(calls).toEqual([expect.stringMatching(/^test \| home 0 unset unset none none .+\/tmp$/)]);
  // The folders that it made are gone.
  expect(readdirSync(folder).toSorted()).toEqual(["chromium", "haproxy", "log", "npx"]);
});

it("starts the servers only for the part that needs them, and stops those that it started", () => {
  const { status, calls } = run(["servers"]);
  expect(status).toBe(0);
  expect(calls.map((call) => call.split(" | ")[0])).toEqual([
    "--silent servers status --json",
    "--silent servers start --only postgres",
    "--silent servers status --json",
    "--silent servers start --only opensearch",
    "test --servers",
    "--silent servers stop --only postgres",
    "--silent servers stop --only opensearch",
  ]);
});

it("says at its end which server could not be started", () => {
  const { status, output } = run(["servers"], "start.--only.opensearch");
  expect(status).toBe(0);
  expect(output.trimEnd()).toMatch(/!! opensearch could not be started: .* NOT run\.$/);
});

it.each([
  [["test"], "^--yes.pnpm.*.test$"],
  [["histories"], "test.--histories"],
  [["servers"], "test.--servers"],
  [["benchmarks"], "bench.--smoke"],
  [["benchmarks"], "eval.--smoke"],
  [["lean"], "check-lean"],
  [["contract"], "second-opinion"],
  [["supply"], "sbom"],
  [["fuzz"], "fuzz-api"],
  [["rehearsal"], "rehearse-cluster"],
  [["release"], "rehearse-release"],
  [[], "rehearse-release"],
])("fails when a part fails: %s, %s", (parts, fails) => {
  expect(run(parts, fails).status).not.toBe(0);
});
