import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pages, root } from "./docs-blocks.ts";

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

it("there are at most 30 decisions: what only tunes a loop is a comment beside the loop", () => {
  expect(files.length).toBeLessThanOrEqual(30);
});

it.each([...files, "README.md"])("docs/decisions/%s has lines of at most 120 characters", (file) => {
  expect(linesOf(file).filter((line) => line.length > 120)).toEqual([]);
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

it("docs/decisions/README.md lists each decision under a folder, and gives a number that is free", () => {
  const index = linesOf("README.md");
  const folders = index.filter((line) => line.startsWith("## ")).map((line) => line.slice(3));
  expect(folders.filter((name) => !existsSync(join(root, name, "package.json")))).toEqual([]);
  expect(index.findIndex((line) => line.startsWith("- "))).toBeGreaterThan(index.indexOf(`## ${folders[0]}`));
  const [, next = ""] = index.join(" ").match(/The next page is (\d{4})/) ?? [];
  expect(files.filter((file) => file.slice(0, 4) >= next)).toEqual([]);
});

const folderNames = "apps|packages|spec|scripts|docs|deploy";
/** Paths in backticks. `<tag>` stands for any name. What a build or an operator writes is not in the tree. */
const pathsOf = (page: string): string[] =>
  [...readFileSync(join(root, page), "utf8").matchAll(new RegExp(`\`((?:${folderNames})/[^\`\\s]*)\``, "g"))]
    .map(([, path = ""]) => path.replaceAll(/<[^>]+>/g, "*"))
    .filter((path) => !path.split("/").some((name) => name === "dist" || name === ".env"));

it.each(pages.filter((page) => page.startsWith("docs/")))("%s names paths that exist", (page) => {
  const missing = pathsOf(page).filter(
    (path) => !existsSync(join(root, path)) && globSync(path, { cwd: root }).length === 0,
  );
  expect(missing).toEqual([]);
});

it("no page and no comment names a decision that was deleted", () => {
  const sources = globSync("{apps,packages,spec,scripts}/**/*.{ts,tsx}", {
    cwd: root,
    exclude: ["**/node_modules", "**/dist"],
  });
  const present = files.map((file) => file.slice(0, 4));
  const missing = [...pages, ...sources].flatMap((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(/\bdecisions?[ /](?:\[|`)?(\d{4})\b/g)]
      .map(([, number = ""]) => number)
      .filter((number) => !present.includes(number))
      .map((number) => `${path}: ${number}`),
  );
  expect(missing).toEqual([]);
});

it("docs/measurements/README.md links to every log", () => {
  const logs = readdirSync(join(root, "docs/measurements")).filter(
    (name) => name.endsWith(".md") && name !== "README.md",
  );
  const index = readFileSync(join(root, "docs/measurements/README.md"), "utf8");
  expect(logs.filter((name) => !index.includes(`](${name})`))).toEqual([]);
});
