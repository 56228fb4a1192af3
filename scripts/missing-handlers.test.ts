import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { root } from "./docs-blocks.ts";
import { describeMissingHandlers } from "./missing-handlers.ts";

const fromService = createRequire(join(root, "apps/api/package.json"));
const { transform } = await import(fromService.resolve("esbuild"));
const { operations } = await import(fromService.resolve("@product-search/spec/operations"));
const operationIds = Object.keys(operations);

it("accepts the table as it is, in a small part of a build", async () => {
  await describeMissingHandlers(operationIds, transform);
  const start = process.cpuUsage();
  expect(await describeMissingHandlers(operationIds, transform)).toBeUndefined();
  // Some milliseconds; loading the features would take hundreds.
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(200);
});

it("names an operation of the spec that the table lacks", async () => {
  expect(await describeMissingHandlers([...operationIds, "countProducts"], transform)).toBe(
    "packages/features/src/handlers.ts: no handler for countProducts. Add one to the table of createHandlers.",
  );
});

it("names a handler that was taken out of the table", async () => {
  const folder = mkdtempSync(join(tmpdir(), "missing-handlers-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "handlers.ts");
  const text = readFileSync(join(root, "packages/features/src/handlers.ts"), "utf8");
  writeFileSync(file, text.replace(/^ {4}suggest: .*\n/m, ""));
  expect(await describeMissingHandlers(operationIds, transform, file)).toContain("no handler for suggest.");
});

it.each(["apps/api", "apps/mock"])("the build of %s fails with one line", (app) => {
  // The build runs with a spec that has one more operation.
  const addOne = [
    'import { registerHooks } from "node:module";',
    "registerHooks({ load: (url, context, next) => {",
    "  const loaded = next(url, context);",
    '  if (!url.endsWith("/spec/dist/operations.js")) return loaded;',
    "  return { ...loaded, source: loaded.source + '\\noperations.countProducts = {};' };",
    "} });",
  ].join("\n");
  const preload = `data:text/javascript,${encodeURIComponent(addOne)}`;
  const { status, stderr } = spawnSync(process.execPath, ["--import", preload, "scripts/build.ts"], {
    cwd: join(root, app),
    encoding: "utf8",
  });
  expect(stderr.trim()).toMatch(/^packages\/features\/src\/handlers\.ts: no handler for countProducts\..*$/);
  expect(status).toBe(1);
});
