import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { productSources } from "@product-search/core/domain/product.ts";
import { exportFormats } from "@product-search/feeds/write/export-formats.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../testing/run-command.ts";
import { commandLine } from "../../testing/running-service.ts";

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "export-command-"));
  expect((await command("sample")).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(args: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [commandLine, ...args], {
    env: { ...process.env, DATA_DIR: join(folder, "data"), ...environment },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    output.stderr += text;
  });
  return { child, exit: once(child, "close").then(([code]) => ({ code, ...output })) };
}

const command = (...args: string[]) => runCommand(args, { DATA_DIR: join(folder, "data") });

/** On a busy machine it shows its progress. */
const withoutProgress = (stderr: string) => stderr.replaceAll(/^Exporting: .*\n/gm, "");

describe.each(exportFormats)("--format %s", (format) => {
  it.each(productSources)("an import of the exported sample of %s changes nothing", async (source) => {
    const file = join(folder, `${source}.${format}`);
    const exported = await command("export", "--format", format, "--source", source, "--out", file, "--json");
    expect(exported.code).toBe(0);
    expect(withoutProgress(exported.stderr)).toBe("");
    const { products, leftOut } = JSON.parse(exported.stdout);
    expect(products).toBeGreaterThan(50);
    expect(leftOut).toBe(0);

    const { code, stdout } = await command("import", file, "--source", source, "--full", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      rows: products,
      refused: 0,
      created: 0,
      updated: 0,
      unchanged: products,
      cutAttributes: 0,
      cutAttributeNames: [],
      unfetchableImages: [],
      ignoredFields: [],
      ignoredShares: {},
    });
  });
});

it("without --out, the feed is alone on standard output", async () => {
  const { code, stdout, stderr } = await start(["export", "--format", "jsonl"]).exit;
  expect(code).toBe(0);
  const summary = withoutProgress(stderr);
  const lines = stdout.trimEnd().split("\n");
  for (const line of lines) expect(JSON.parse(line)).toHaveProperty("name");
  expect(summary).toMatch(/^[\d ]+ products of catalog, in [\d.]+ s\.\n$/);
  const products = lines.length.toLocaleString("en").replaceAll(",", " ");
  expect(summary.startsWith(`${products} products`)).toBe(true);
});

it("with --absolute, the addresses of the service's own pages and images are whole", async () => {
  const publicUrl = "https://search.example";
  for (const format of ["google", "openai"]) {
    const args = ["export", "--format", format, "--absolute"];
    const { code, stdout } = await start(args, { PUBLIC_URL: publicUrl }).exit;
    expect(code).toBe(0);
    expect(stdout).toContain(`${publicUrl}/`);
    expect(stdout).not.toMatch(/(link>|url":\s*")\//);
  }
});

it("a reader that stops early is no failure", async () => {
  const { child, exit } = start(["export", "--format", "google"]);
  await once(child.stdout, "data");
  child.stdout.destroy();
  const { code, stderr } = await exit;
  expect([code, withoutProgress(stderr)]).toEqual([0, ""]);
});

it("a file is replaced only when the new one is complete", async () => {
  const target = mkdtempSync(join(folder, "target-"));
  const file = join(target, "feed.jsonl");
  writeFileSync(file, "before");
  expect((await command("export", "--format", "jsonl", "--out", join(target, "none", "feed"))).code).toBe(1);
  expect(readFileSync(file, "utf8")).toBe("before");
  expect((await command("export", "--format", "jsonl", "--out", file)).code).toBe(0);
  expect(readFileSync(file, "utf8")).toMatch(/^\{"id"/);
  expect(readdirSync(target)).toEqual(["feed.jsonl"]);
});

it.each([
  ["an unknown format", ["--format", "csv"]],
  ["no format", []],
  ["an unknown source", ["--format", "jsonl", "--source", "shop"]],
])("%s exits with 2", async (_what, args) => {
  const { code, stderr } = await command("export", ...args, "--out", join(folder, "never"));
  expect(code).toBe(2);
  expect(stderr).not.toBe("");
  expect(existsSync(join(folder, "never"))).toBe(false);
});
