import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { root } from "./docs-blocks.ts";
import { addReach, describeReach, type Reach, withoutSuccess } from "./fuzz-api/reach.ts";

const main = join(root, "scripts/fuzz-api/main.ts");

it("reports that it is skipped, and succeeds, if there is no Python", () => {
  const { status, stdout } = spawnSync(process.execPath, [main], {
    encoding: "utf8",
    env: { PATH: "/nowhere" },
  });
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^SKIPPED: .*Python 3\.10/),
  });
});

it("reports how far it got if the time ends while Schemathesis starts", { timeout: 600_000 }, () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, "--minutes", "0.01"], {
    encoding: "utf8",
  });
  if (stdout.startsWith("SKIPPED")) return console.info(stdout);
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining("Error:") });
  expect(stdout).toContain("STOPPED after 0.01 minutes: 0 of 8 runs were finished.");
});

it("installs exact versions only", () => {
  const lines = readFileSync(join(root, "scripts/fuzz-api/requirements.txt"), "utf8").trim().split("\n");
  const packages = lines.filter((line) => !line.startsWith("#"));
  expect(packages).toContainEqual(expect.stringMatching(/^schemathesis==/));
  for (const line of packages) expect(line).toMatch(/^[\w.-]+==[\w.]+$/);
});

it("accepts no exception without a reason, and none for a whole kind of finding", () => {
  const file = join(root, "scripts/fuzz-api/accepted-findings.json");
  const entries: Record<string, unknown>[] = JSON.parse(readFileSync(file, "utf8"));
  for (const entry of entries) {
    expect(entry.reason).toMatch(/^.{20,}\.$/);
    expect(entry.says ?? entry.status, `${entry.reason}`).toBeDefined();
  }
});

it("counts the requests of each operation, and names operations that never succeeded", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reach-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "events.ndjson");
  const value = { method: "GET", path: "/search" };
  const recorder = {
    cases: { a: { value }, b: { value }, c: { value: { method: "DELETE", path: "/search" } }, d: { value } },
    interactions: {
      a: { response: { status_code: 200 } },
      b: { response: { status_code: 400 } },
      c: { response: { status_code: 405 } },
      d: { response: null },
    },
  };
  writeFileSync(file, `{"EngineStarted":{}}\n${JSON.stringify({ ScenarioFinished: { recorder } })}\n`);
  const reached = new Map<string, Reach>(
    ["GET /search", "POST /webhooks"].map((name) => [name, { cases: 0, statuses: new Map() }]),
  );
  await addReach(reached, file);
  expect(reached.get("GET /search")).toEqual({
    cases: 2,
    statuses: new Map([
      [200, 1],
      [400, 1],
    ]),
  });
  expect(withoutSuccess(reached)).toEqual(["POST /webhooks"]);
  expect(describeReach(reached)).toContain("200 × 1, 400 × 1");
});
