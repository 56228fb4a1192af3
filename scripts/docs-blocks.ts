import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Every page with blocks that readers may paste. */
export const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...globSync("docs/**/*.md", { cwd: root }).toSorted(),
  "spec/README.md",
  ...globSync("{apps,packages}/*/README.md", { cwd: root }).toSorted(),
];

export interface Block {
  page: string;
  language: string;
  /** The comment above the block says which test runs it. */
  test: string | undefined;
  text: string;
}

/** The fenced blocks of a page, including those in lists, with the `<!-- test: … -->` above them. */
function readBlocks(page: string): Block[] {
  const text = readFileSync(join(root, page), "utf8");
  const fence = /(?:<!-- test: ([\w-]+) -->\n)?^( *)```(\w*)\n([\s\S]*?)^\2```$/gm;
  return [...text.matchAll(fence)].map(([, test, indent = "", language = "", body = ""]) => ({
    page,
    test,
    language,
    text: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

export const blocks = pages.flatMap(readBlocks);

/** The blocks of one kind with a name for each, in the form for `it.each`. */
export const named = (...tests: string[]) =>
  blocks
    .filter(({ test }) => test !== undefined && tests.includes(test))
    .map((block): [string, Block] => [`${block.page}: ${block.text.split("\n")[0]}`, block]);

/** The texts of the blocks of one kind on one page, in their order. */
export const textsOf = (page: string, test: string) =>
  blocks.filter((block) => block.page === page && block.test === test).map(({ text }) => text);
