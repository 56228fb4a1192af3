import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isScalar, parse, parseDocument, visit } from "yaml";
import { root } from "./docs-blocks.ts";

interface Job {
  "timeout-minutes"?: number;
  uses?: string;
  strategy?: { matrix: { part?: string[]; include?: Record<string, unknown>[] } };
}
interface Workflow {
  on: Record<string, unknown>;
  permissions?: unknown;
  jobs: Record<string, Job>;
}

const files = globSync(".github/{workflows/*.yml,actions/*/action.yml}", { cwd: root });
const texts = files.map((file): [string, string] => [file, readFileSync(join(root, file), "utf8")]);
const workflows = texts
  .filter(([file]) => file.includes("/workflows/"))
  .map(([file, text]): [string, Workflow] => [file, parse(text)]);

/** All values of one key, each with the comment after it. */
function valuesOf(text: string, name: string): { value: string; comment: string }[] {
  const found: { value: string; comment: string }[] = [];
  visit(parseDocument(text), {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || key.value !== name || !isScalar(value)) return;
      found.push({ value: String(value.value), comment: value.comment?.trim() ?? "" });
    },
  });
  return found;
}

describe("the workflows", () => {
  it("exist", () => {
    expect(files.length).toBeGreaterThan(3);
  });

  it.each(texts)("%s pins each action by commit, with its version in a comment", (_, text) => {
    for (const { value, comment } of valuesOf(text, "uses")) {
      if (value.startsWith("./")) expect(existsSync(join(root, value)), value).toBe(true);
      else {
        expect(value).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
        expect(comment).toMatch(/^v\d+\.\d+\.\d+$/);
      }
    }
  });

  it.each(workflows)(
    "%s may only read unless a job asks for more, and ends in bounded time",
    (_, workflow) => {
      expect(workflow.permissions).toEqual({ contents: "read" });
      for (const job of Object.values(workflow.jobs)) {
        if (!job.uses) expect(job["timeout-minutes"]).toBeLessThanOrEqual(60);
      }
    },
  );

  it("build and start the image on each push, alone and as a cluster", () => {
    const [, image] = workflows.find(([file]) => file.endsWith("/image.yml")) ?? [];
    expect(image?.on).toMatchObject({ push: null });
    const starts = image?.jobs.image?.strategy?.matrix.include?.map(({ profile, service }) => [
      profile,
      service,
    ]);
    expect(starts).toEqual([
      ["", "api"],
      ["cluster", "balancer"],
    ]);
  });

  it("run every part of .ci/run", () => {
    const parts = execFileSync("bash", [join(root, ".ci/run"), "--list"], { encoding: "utf8" }).trim();
    const [, test] = workflows.find(([file]) => file.endsWith("/test.yml")) ?? [];
    expect(test?.jobs.part?.strategy?.matrix.part).toEqual(parts.split("\n"));
  });

  it.each(texts)("%s runs root commands that exist", (_, text) => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const known = new Set(["install", ...Object.keys(scripts)]);
    const commands = ["run", "version-script", "publish-script"].flatMap((key) => valuesOf(text, key));
    const names = commands.flatMap(
      ({ value }) => value.match(/(?<=\bpnpm@[\d.]+ (?:run )?)(?!run )[\w-]+/g) ?? [],
    );
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});
