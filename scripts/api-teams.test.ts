import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Document, parseDocument, visit } from "yaml";
import { root, textsOf } from "./docs-blocks.ts";

const [command = "", ...more] = textsOf("docs/api-teams.md", "breaking");
const tree = copyOfTheTree();
afterAll(() => rmSync(tree, { recursive: true, force: true }));

/** The files that the command needs, with links to the installed packages, so that a test can change the sources. */
function copyOfTheTree(): string {
  const folder = mkdtempSync(join(tmpdir(), "docs-api-teams-"));
  const files = ["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml", "turbo.json", "tsconfig.base.json"];
  for (const name of [...files, "scripts", "spec"]) {
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      filter: (path) => !["node_modules", "dist", ".turbo"].includes(basename(path)),
    });
  }
  for (const name of ["node_modules", "spec/node_modules"]) symlinkSync(join(root, name), join(folder, name));
  return folder;
}

type Changes = Record<string, (document: Document.Parsed) => void>;

/** Runs the command of docs/api-teams.md after changing files of the document. */
function checkAfter(changes: Changes): { status: number | null; output: string } {
  const paths = Object.keys(changes).map((file) => join(tree, "spec", file));
  const texts = paths.map((path) => readFileSync(path, "utf8"));
  for (const [index, change] of Object.values(changes).entries()) {
    const document = parseDocument(texts[index] ?? "");
    change(document);
    writeFileSync(paths[index] ?? "", document.toString());
  }
  try {
    return check();
  } finally {
    for (const [index, path] of paths.entries()) writeFileSync(path, texts[index] ?? "");
  }
}

/** Removes a field and its name in `required`. */
const withoutField = (name: string) => (document: Document.Parsed) =>
  visit(document, {
    Pair: (_, { key }) => (`${key}` === name ? visit.REMOVE : undefined),
    Scalar: (_, { value }) => (value === name ? visit.REMOVE : undefined),
  });

function check() {
  // `pnpm` would search for the installed packages of the copy, so the script behind the name is called.
  const [, name = ""] = /^pnpm (\S+)$/.exec(command.trim()) ?? [];
  const scripts: Record<string, string> = JSON.parse(
    readFileSync(join(tree, "package.json"), "utf8"),
  ).scripts;
  const { status, stdout, stderr } = spawnSync(`${scripts[name]}`, {
    cwd: tree,
    shell: true,
    encoding: "utf8",
    env: { ...process.env, TURBO_FORCE: "true" },
  });
  return { status, output: stdout + stderr };
}

describe("the command that docs/api-teams.md gives against breaking changes", () => {
  it("is on the page once", () => {
    expect(more).toEqual([]);
    expect(command.trim()).toBe("pnpm check-breaking-changes");
  });

  it("accepts the unchanged document", () => {
    expect(check()).toMatchObject({ status: 0, output: expect.stringContaining("No breaking changes") });
  });

  it("fails when a required field is removed, and says so first, although examples still have the field", () => {
    const { status, output } = checkAfter({
      "schemas/brand-search.yaml": withoutField("serviceBrandPageUrl"),
    });
    const [heading = "", ...changes] = output.split("\n");
    expect(heading).toMatch(/^These changes break what version [\d.]+ promised:$/);
    expect(changes.join("\n")).toMatch(/schema Brand › serviceBrandPageUrl: the field was removed/);
    expect(changes.length).toBeLessThan(20);
    expect(status).toBe(1);
  });

  it("fails when a status is removed", () => {
    const { status, output } = checkAfter({
      "paths/brand-search.yaml": (document) =>
        document.deleteIn(["search-brands", "post", "responses", "404"]),
    });
    expect(output).toMatch(/POST \/search\/brands › 404: the status was removed/);
    expect(status).toBe(1);
  });

  it("fails when a limit is tightened", () => {
    const { status, output } = checkAfter({
      "parameters.yaml": (document) => document.setIn(["Count", "schema", "maximum"], 100),
    });
    expect(output).toMatch(/query count: maximum changed from 250 to 100/);
    expect(status).toBe(1);
  });
});
