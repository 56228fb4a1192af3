import { execFile } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { type Block, blocks, root } from "./docs-blocks.ts";

const page = "docs/add-an-operation.md";
const steps = blocks.filter((block) => block.page === page && block.test === "operation");
const notCopied = new Set(["node_modules", "dist", "generated", "data", ".git", ".turbo"]);

it(`${page} adds an operation that passes every suite`, { timeout: 1_200_000 }, async () => {
  const tree = mkdtempSync(join(tmpdir(), "add-an-operation-"));
  onTestFinished(() => rmSync(tree, { recursive: true, force: true }));
  cpSync(root, tree, { recursive: true, filter: (path) => !notCopied.has(basename(path)) });
  await shell(tree, "pnpm install --frozen-lockfile --prefer-offline");
  expect(new Set(steps.map(({ language }) => language))).toEqual(new Set(["yaml", "diff", "sh", "ts"]));
  for (const step of steps) {
    if (step.language === "sh") await shell(tree, step.text);
    else if (step.language === "diff") applyDiff(tree, step);
    else writeFile(tree, step);
  }
});

/** Runs every command of a block. The first failure ends it with the command's output. */
async function shell(tree: string, commands: string): Promise<void> {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, CI: "1" };
  await promisify(execFile)("bash", ["-ec", commands], { cwd: tree, env, maxBuffer: 64 * 1024 * 1024 }).catch(
    ({ message, stdout, stderr }) => {
      throw new Error(`${message}\n${stdout}\n${stderr}`);
    },
  );
}

/** A block whose first line names its file: a new file, or lines to append to an existing one. */
function writeFile(tree: string, { text }: Block): void {
  const [first = "", ...lines] = text.split("\n");
  const [, file = "", atTheEnd] = /^(?:#|\/\/) (\S+?)(, at the end)?$/.exec(first) ?? [];
  const path = join(tree, file);
  expect(existsSync(path), `${file} exists`).toBe(atTheEnd !== undefined);
  (atTheEnd ? appendFileSync : writeFileSync)(path, lines.join("\n"));
}

/** `--- file`, then parts separated by `@@`: existing lines start with a space, lines to add with a plus. */
function applyDiff(tree: string, { text }: Block): void {
  for (const part of text.split(/^--- /m).slice(1)) {
    const [file = "", ...lines] = part.trimEnd().split("\n");
    const path = join(tree, file);
    let content = readFileSync(path, "utf8");
    for (const piece of lines.join("\n").split("\n@@\n")) {
      const now = piece.split("\n");
      const known = now.filter((line) => line.startsWith(" ")).map((line) => `${line.slice(1)}\n`);
      const wanted = now.map((line) => `${line.slice(1)}\n`);
      expect(content.split(known.join("")), `${file} has these lines once: ${known.join("")}`).toHaveLength(
        2,
      );
      content = content.replace(known.join(""), () => wanted.join(""));
    }
    writeFileSync(path, content);
  }
}
