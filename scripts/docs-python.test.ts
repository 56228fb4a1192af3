import { spawnSync } from "node:child_process";
import { expect, inject, it, vi } from "vitest";
import { textsOf } from "./docs-blocks.ts";
import { bash } from "./docs-service.ts";

const docs = inject("docs");
const page = "docs/partners.md";

// Installing from a package index takes its time.
vi.setConfig({ testTimeout: 600_000 });

it("docs/partners.md leads to a Python client that talks to the mock", async ({ skip }) => {
  const skipBecause = (reason: string) => {
    console.log(`SKIPPED: the Python client of ${page} | ${reason}`);
    skip(reason);
  };
  const check = ["-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))"];
  if (spawnSync("python3", check).status !== 0) skipBecause("it needs Python 3.10 or later with venv.");
  const [setUp = ""] = textsOf(page, "python-setup");
  const [program = ""] = textsOf(page, "python");
  try {
    // A step of the generator that cannot be run, such as formatting, is a warning.
    expect(await bash(docs, setUp, { cwd: docs.folder })).not.toMatch(/warning|skipping/i);
  } catch (error) {
    if (!/No matching distribution|Could not fetch|connection/i.test(String(error))) throw error;
    skipBecause("it needs a package index, and none can be reached.");
  }
  const run = `./venv/bin/python - <<'PROGRAM'\n${program}PROGRAM\n`;
  const output = await bash(docs, run, { cwd: docs.folder });
  expect(output).toMatch(/^(.+ Lamp, .+ \d+(\.\d+)?\n){3}True\n$/i);
});
