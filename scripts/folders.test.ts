import { spawnSync } from "node:child_process";
import { posix } from "node:path";
import { expect, it } from "vitest";
import { root } from "./docs-blocks.ts";

const maxFiles = 20;

/** Folders that may hold more, each with its reason. */
const exceptions: Readonly<Record<string, string>> = {
  "apps/api/src/ports": "one file for each port: the list is what a reader looks for",
  "apps/api/src/adapters/database/migrations": "one file for each migration, in the order they run",
  "docs/decisions": "one page for each decision, in the order of their numbers, with an index",
};

function filesByFolder(): Map<string, string[]> {
  const { stdout } = spawnSync("git", ["ls-files"], { cwd: root, encoding: "utf8" });
  const folders = new Map<string, string[]>();
  for (const file of stdout.split("\n").filter((path) => path !== "" && !/\.test\.tsx?$/.test(path))) {
    const folder = posix.dirname(file);
    folders.set(folder, [...(folders.get(folder) ?? []), posix.basename(file)]);
  }
  return folders;
}

/** `apps/api/test/operations` has one test for each operation, for example. */
const isTests = (folder: string) => /(^|\/)test(\/|$)/.test(folder);

it("no folder has more than 20 files besides tests, except where there is a reason", () => {
  const folders = filesByFolder();
  expect(folders.size).toBeGreaterThan(100);
  const tooFull = [...folders].filter(([folder, files]) => files.length > maxFiles && !isTests(folder));
  expect(Object.fromEntries(tooFull.filter(([folder]) => exceptions[folder] === undefined))).toEqual({});
  // An exception that is no longer needed must go.
  expect(Object.keys(exceptions).filter((folder) => (folders.get(folder)?.length ?? 0) <= maxFiles)).toEqual(
    [],
  );
});
