import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "instantsearch-"));
afterAll(() => rmSync(folder, { recursive: true }));
const run = (command: string, ...given: string[]) => {
  const { status, stdout, stderr } = spawnSync(command, given, { cwd: root, encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
};
const tool = (name: string) => join(root, "node_modules/.bin", name);
const passed = { status: 0, output: expect.any(String) };

it("packs its code and its types, with nothing to install, and passes publint and arethetypeswrong", () => {
  const archive = join(folder, "package.tgz");
  expect(run("pnpm", "pack", "--out", archive)).toEqual(passed);
  const files = run("tar", "-tzf", archive).output.trim().split("\n").sort();
  expect(files.map((file) => file.replace("package/", ""))).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "dist/index.cjs",
    "dist/index.d.cts",
    "dist/index.d.ts",
    "dist/index.js",
    "package.json",
  ]);
  expect(run(tool("publint"), "run", archive, "--strict")).toEqual(passed);
  expect(run(tool("attw"), archive, "--exclude-entrypoints", "package.json")).toEqual(passed);
});

it("is under 7 kB gzipped and imports nothing", () => {
  const code = readFileSync(join(root, "dist/index.js"), "utf8");
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(7000);
  expect(code).not.toMatch(/^import /m);
  expect(readFileSync(join(root, "dist/index.d.ts"), "utf8")).not.toContain("@product-search/types");
});

it("works with require and import alike", async () => {
  const required: object = createRequire(import.meta.url)("../dist/index.cjs");
  const imported: object = await import("../dist/index.js");
  expect(Object.keys(required).sort()).toEqual(["createInsightsClient", "createSearchClient"]);
  expect(Object.keys(imported).sort()).toEqual(Object.keys(required).sort());
});
