import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./docs-blocks.ts";

const folder = join(root, "docs/decisions");
const files = readdirSync(folder).filter((name) => name !== "README.md");
const linesOf = (file: string) => readFileSync(join(folder, file), "utf8").trimEnd().split("\n");

describe.each(files)("docs/decisions/%s", (file) => {
  const lines = linesOf(file);

  it("has a number, a status and a date", () => {
    expect(file).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
    expect(lines[0]).toMatch(new RegExp(`^# ${file.slice(0, 4)}: \\S`));
    expect(lines[2]).toMatch(
      /^Status: (proposed|accepted|superseded by \[\d{4}\]\([\w.-]+\)), \d{4}-\d{2}-\d{2}$/,
    );
  });

  it("has context, decision and consequences, on one page", () => {
    const headings = lines.filter((line) => line.startsWith("#"));
    expect(headings.slice(1)).toEqual(["## Context", "## Decision", "## Consequences"]);
    expect(lines.join(" ").split(/\s+/).length, "words").toBeLessThanOrEqual(500);
  });
});

it("every decision has a different number", () => {
  const numbers = files.map((file) => file.slice(0, 4));
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
});

it("docs/decisions/README.md lists every decision by its title", () => {
  const listed = linesOf("README.md").filter((line) => line.startsWith("- "));
  const expected = files.map((file) => {
    const [number = "", title = ""] = (linesOf(file)[0] ?? "").slice(2).split(/: (.*)/);
    return `- [${number}](${file}): ${title}`;
  });
  expect(listed.toSorted()).toEqual(expected.toSorted());
});

it("docs/measurements/README.md links to every log", () => {
  const logs = readdirSync(join(root, "docs/measurements")).filter((name) => name !== "README.md");
  const index = readFileSync(join(root, "docs/measurements/README.md"), "utf8");
  expect(logs.filter((name) => !index.includes(`](${name})`))).toEqual([]);
});
