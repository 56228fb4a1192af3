import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runCommand } from "../../testing/run-command.ts";
import { makeDataDir, removeDataDir } from "../../testing/running-service.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
let dataDir: string;
beforeEach(() => {
  dataDir = makeDataDir();
});
afterEach(() => removeDataDir(dataDir));

const outcome = (...args: string[]) => runCommand(args, { DATA_DIR: dataDir });

it.each([
  ["an unknown command", ["nothing"]],
  ["an unknown option", ["token", "list", "--nothing"]],
  ["a missing option", ["token", "create"]],
  [
    "options that exclude each other",
    ["token", "create", "--account", "a", "--scopes", "search", "--origins", "https://a.example"],
  ],
  ["a missing argument", ["import", "--source", "catalog"]],
])("%s exits with 2", async (_what, args) => {
  const { code, output } = await outcome(...args);
  expect(output).not.toBe("");
  expect(code).toBe(2);
});

it("--version prints the versions of the API and of Node", async () => {
  expect(await outcome("--version")).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^product-search, API \d+\.\d+\.\d+, Node 26\.\d+\.\d+ on \w+ \w+\n$/),
  });
});

it("tables fit 80 columns", async () => {
  const account = "an account with a rather long name for a table";
  const created = [
    "token",
    "create",
    "--account",
    account,
    "--scopes",
    "search,webhooks",
    "--networks",
    "203.0.113.0/24,2001:db8::/32",
  ];
  expect((await outcome(...created)).code).toBe(0);
  for (const list of [["token", "list"], ["audit"]]) {
    const { output } = await outcome(...list);
    expect(output.split("\n").length).toBeGreaterThan(2);
    for (const line of output.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  }
});

it("./product-search runs the same command line, from any folder", () => {
  copyFileSync(`${root}/product-search`, join(dataDir, "product-search"));
  const start = () =>
    spawnSync(join(dataDir, "product-search"), ["token", "a b"], { cwd: tmpdir(), encoding: "utf8" });
  expect(start()).toMatchObject({ status: 1, stderr: expect.stringContaining("pnpm@12.21.0 install") });
  // In place of Node: what it would run.
  mkdirSync(join(dataDir, "node_modules/.bin"), { recursive: true });
  writeFileSync(join(dataDir, "node_modules/.bin/node"), '#!/bin/sh\nprintf "%s|" "$@"\n', { mode: 0o755 });
  expect(start()).toMatchObject({ status: 0, stdout: `${dataDir}/scripts/run.mjs|api|token|a b|` });
});

it("./product-search needs no pnpm on the search path", () => {
  const environment = { PATH: "/usr/bin:/bin", HOME: dataDir, DATA_DIR: dataDir };
  const started = spawnSync(`${root}/product-search`, ["--version"], { env: environment, encoding: "utf8" });
  expect(started).toMatchObject({ status: 0, stdout: expect.stringContaining("API") });
});
