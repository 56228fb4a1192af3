import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describeWhere } from "@product-search/testing/servers/suite.ts";
import { expect, it } from "vitest";
import { peerProgram } from "./text/measure-tantivy.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));
const small = ["--queries", "100", "--seconds", "1", "--no-fts5", "--no-http", "--json"];

async function benchText(products: number, environment: Record<string, string>) {
  const args = [main, "text", "--vs", "tantivy", "--products", String(products), ...small];
  const env = { ...process.env, ...environment };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env });
  return { figures: JSON.parse(stdout), stderr };
}

it("without cargo, it skips Tantivy in one line and measures the rest", async () => {
  const { figures, stderr } = await benchText(50, { PATH: "/nonexistent" });
  expect(stderr).toMatch(/^SKIPPED: pnpm bench text --vs tantivy \| there is no cargo on PATH$/m);
  expect(figures).toMatchObject({ products: 50, meanMs: expect.any(Number) });
  expect(figures).not.toHaveProperty("tantivy");
});

const missing = existsSync(peerProgram)
  ? spawnSync("cargo", ["--version"]).status === 0
    ? undefined
    : "there is no cargo that runs"
  : "`pnpm bench text --vs tantivy` has not built its program on this machine";

describeWhere("the bench of texts beside Tantivy", missing, () => {
  it("finds the same totals, and measures both", async () => {
    const { figures, stderr } = await benchText(1000, {});
    expect(stderr).not.toContain("SKIPPED");
    expect(figures.tantivy.mismatches).toEqual([]);
    for (const name of ["buildSeconds", "diskMb", "meanMs", "p99Ms", "qps1", "qps2"]) {
      const { ours, tantivy } = figures.tantivy[name];
      expect(Math.min(ours, tantivy), name).toBeGreaterThan(0);
    }
  });
});
