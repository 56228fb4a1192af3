import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A small tree with the real rules: what they say of these files, not of ours. */
function judge(files: Record<string, string>): { status: number | null; output: string } {
  const folder = mkdtempSync(join(tmpdir(), "import-rules-"));
  folders.push(folder);
  for (const name of [".dependency-cruiser.mjs", "tsconfig.base.json", "package.json"]) {
    cpSync(join(root, name), join(folder, name));
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const result = spawnSync(
    join(root, "node_modules/.bin/depcruise"),
    ["-c", ".dependency-cruiser.mjs", "apps", "packages"],
    {
      cwd: folder,
      encoding: "utf8",
    },
  );
  return { status: result.status, output: result.stdout + result.stderr };
}

const api = "apps/api/src";
const base = {
  "packages/text-index/src/index.ts": "export const one = 1;",
  "packages/client/src/index.ts": "export const client = 1;",
  [`${api}/domain/money.ts`]: "export const money = 1;",
  [`${api}/ports/store.ts`]: "export interface Store { x: number }",
  [`${api}/features/one/one.ts`]: "export const one = 1;",
  [`${api}/adapters/store/sqlite.ts`]: "export const store = 1;",
};

describe("the import rules", () => {
  it("let allowed imports pass", () => {
    const { status, output } = judge({
      ...base,
      [`${api}/features/two/two.ts`]:
        'import type { Store } from "../../ports/store.ts"; import { money } from "../../domain/money.ts"; export const two = (s: Store) => s.x + money;',
    });
    expect(output).toContain("no dependency violations found");
    expect(status).toBe(0);
  });

  it.each([
    ["features-know-ports-only", `${api}/features/two/two.ts`, 'export { one } from "../one/one.ts";'],
    [
      "features-know-ports-only",
      `${api}/features/two/two.ts`,
      'export { store } from "../../adapters/store/sqlite.ts";',
    ],
    [
      "only-compose-imports-adapters",
      `${api}/http/x.ts`,
      'export { store } from "../adapters/store/sqlite.ts";',
    ],
    [
      "domain-is-pure",
      `${api}/domain/x.ts`,
      'import type { Store } from "../ports/store.ts"; export type X = Store;',
    ],
    ["ports-state-promises", `${api}/ports/x.ts`, 'export { one } from "../features/one/one.ts";'],
    ["adapters-know-their-port", `${api}/adapters/other/x.ts`, 'export { store } from "../store/sqlite.ts";'],
    ["http-and-app", `${api}/app.ts`, 'export { one } from "./features/one/one.ts";'],
    [
      "text-index-alone",
      "packages/text-index/src/x.ts",
      'export { client } from "../../client/src/index.ts";',
    ],
    [
      "console-from-the-client",
      "apps/console/src/x.tsx",
      'export { one } from "../../../packages/text-index/src/index.ts";',
    ],
    ["no-cycles", `${api}/domain/a.ts`, 'import { b } from "./b.ts"; export const a = b;'],
  ])("%s refuses %s", (rule, path, text) => {
    const { status, output } = judge({
      ...base,
      [path]: text,
      [`${api}/domain/b.ts`]:
        rule === "no-cycles"
          ? 'import { a } from "./a.ts"; export const b: number = a;'
          : "export const b = 1;",
    });
    expect(output).toContain(rule);
    expect(status).not.toBe(0);
  });
});

describe("the environment", () => {
  it("is read by config.ts and the command line's entry only", () => {
    const readers = execFileSync(
      "git",
      ["grep", "-l", "process\\.env", "--", "apps/api/src", "packages/*/src"],
      {
        cwd: root,
        encoding: "utf8",
      },
    )
      .trim()
      .split("\n");
    const others = readers.filter(
      (path) => path !== `${api}/config.ts` && !path.startsWith(`${api}/cli/`) && !path.endsWith(".test.ts"),
    );
    expect(others).toEqual([]);
  });
});
