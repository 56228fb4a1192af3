import { execFileSync } from "node:child_process";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { operations } from "@product-search/spec/operations";
import { describe, expect, it } from "vitest";
import { specDocument as spec } from "../../testing/spec-document.ts";

const packageFolder = fileURLToPath(new URL("../..", import.meta.url));

/** The statuses tested in each operation's file: the numbers at the start of its outermost `describe`s. */
const tested = new Map<string, Set<string>>();
const vitest = join(dirname(fileURLToPath(import.meta.resolve("vitest/package.json"))), "vitest.mjs");
const listing = execFileSync(process.execPath, [vitest, "list", "test/operations", "--json"], {
  cwd: packageFolder,
  encoding: "utf8",
});
for (const { name, file } of JSON.parse(listing) as { name: string; file: string }[]) {
  const operationId = basename(file, ".test.ts");
  const status = /^\d{3}/.exec(name)?.[0];
  if (status !== undefined) tested.set(operationId, (tested.get(operationId) ?? new Set()).add(status));
}

describe.each(Object.values(operations))("$operationId", ({ operationId, path, method }) => {
  it("has a test for each documented status, and for no other", () => {
    const documented = Object.keys(spec.paths[path]?.[method.toLowerCase()]?.responses ?? {});
    expect([...(tested.get(operationId) ?? [])].toSorted()).toEqual(documented.toSorted());
  });
});
