import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./docs-blocks.ts";

/** The rows of the threat model: threat, defence, files, tests. */
const rows = readFileSync(join(root, "SECURITY.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| threat") && !/^\| -+/.test(line))
  .map((line) => line.split("|").slice(1, -1));

it("the threat model has rows", () => {
  expect(rows.length).toBeGreaterThan(10);
});

it.each(rows.map((cells) => [cells[0]?.trim(), cells]))(
  "names files and tests that exist: %s",
  (_, cells) => {
    const pathsIn = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
    const [files, tests] = [pathsIn(cells[2]), pathsIn(cells[3])];
    expect(files.length).toBeGreaterThan(0);
    expect(tests.filter((path) => /\.test\.ts$|^scripts\//.test(path)).length).toBeGreaterThan(0);
    const missing = [...files, ...tests].filter((path) => !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  },
);
