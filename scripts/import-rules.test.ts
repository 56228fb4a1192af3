import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { places, table } from "../.dependency-cruiser.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "import-rules-"));
  folders.push(folder);
  return folder;
}

/** Checks these files in a temporary tree with the real rules. */
function check(files: Record<string, string>): { status: number | null; output: string } {
  const folder = temporaryFolder();
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
    ["-c", ".dependency-cruiser.mjs", "apps", "packages", "spec"],
    { cwd: folder, encoding: "utf8" },
  );
  return { status: result.status, output: result.stdout + result.stderr };
}

/** The violations as lines "rule: from → to". */
function reported(files: Record<string, string>): string[] {
  const { status, output } = check(files);
  expect(status).not.toBe(0);
  return output.split("\n").flatMap((line) => / error ([\w-]+: .+)/.exec(line)?.[1]?.trimEnd() ?? []);
}

type Place = keyof typeof places;

/** A source file in the folder, or the folder's only file if it is a single file. The file of `config` stands for its folder, too. */
function fileIn(place: Place, name: string): string {
  const path = places[place].replace("(\\.ts$|/)", "\\.ts$").replace("^", "").replaceAll("\\", "");
  return path.endsWith("/") ? `${path}${name}.ts` : path.replace("$", "");
}

const oneFileEach = Object.fromEntries(
  (Object.keys(places) as Place[]).map((place) => [fileIn(place, "file"), "export const it = 1;"]),
);

/** The text of a file at `from` that imports the one at `to`. */
function importText(from: string, to: string): string {
  return `export * from "${"../".repeat(from.split("/").length - 1)}${to}";`;
}

const rows = Object.entries(table) as [Place, Place[]][];
/** `roles` is a folder inside `runtime`, so an import between the two never leaves the folder. */
const isInside = (folder: Place, other: Place) => places[other].startsWith(places[folder]);
const refusals = rows.flatMap(([folder, allowed]) => {
  const refused = (Object.keys(places) as Place[]).find(
    (other) => other !== folder && !allowed.includes(other) && !isInside(folder, other),
  );
  return refused === undefined ? [] : [[folder, refused] as const];
});

describe("the table of imports", () => {
  it("is the table on the architecture page", () => {
    const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
    const section = page.split(/^## /m).find((one) => one.startsWith("Who may import whom")) ?? "";
    const documented = section
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .slice(2)
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .map(([, folder = "", allowed = ""]) => [folder, allowed]);
    const checked = rows.map(([folder, allowed]) => [
      folder,
      folder === "bench" ? "everything" : allowed.join(", ") || "nothing",
    ]);
    expect(documented).toEqual(checked);
  });

  it("has a row for every folder", () => {
    expect(Object.keys(table).toSorted()).toEqual(
      Object.keys(places)
        .filter((name) => name !== "spec")
        .toSorted(),
    );
  });

  it("accepts every allowed import", () => {
    const files = Object.fromEntries(
      rows.map(([folder, allowed]) => {
        const path = fileIn(folder, "allowed");
        return [path, allowed.map((other) => importText(path, fileIn(other, "file"))).join("\n")];
      }),
    );
    // The single files would form an import cycle here.
    const single = Object.keys(files).filter((path) => path in oneFileEach);
    for (const path of single) delete files[path];
    const { status, output } = check({ ...oneFileEach, ...files });
    expect(output).toContain("no dependency violations found");
    expect(status).toBe(0);
  });

  describe("refuses an import", () => {
    const planted = Object.fromEntries(
      refusals.map(([folder, other]) => {
        const path = fileIn(folder, "planted");
        return [path, importText(path, fileIn(other, "file"))];
      }),
    );
    const violations = reported({ ...oneFileEach, ...planted });
    it.each(refusals)("of %s from a folder that its row does not name: %s", (folder, other) => {
      expect(violations).toContain(
        `imports-of-${folder}: ${fileIn(folder, "planted")} → ${fileIn(other, "file")}`,
      );
    });
  });
});

describe("the rules beyond the table", () => {
  const api = "apps/api/src";
  const [core, features, stores] = ["packages/core/src", "packages/features/src", "packages/stores/src"];
  const plants = [
    ["no-cycles", `${core}/domain/a.ts`, `${core}/domain/b.ts`],
    ["no-sibling-features", `${features}/two/two.ts`, `${features}/one/one.ts`],
    ["no-sibling-stores", `${stores}/two/two.ts`, `${stores}/one/one.ts`],
    ["no-sibling-adapters", `${api}/adapters/two/two.ts`, `${api}/adapters/one/one.ts`],
    ["packages-import-no-app", `${core}/domain/x.test.ts`, `${api}/app.ts`],
    ["apps-import-no-app", "apps/mock/src/x.ts", `${api}/app.ts`],
    ["apps-import-no-app", "apps/api/test/x.test.ts", "apps/bench/file.ts"],
    ["only-tests-import-testing", `${api}/compose/x.ts`, "packages/testing/src/file.ts"],
    ["only-tests-import-testing", `${stores}/three/three.ts`, "packages/stores/testing/file.ts"],
  ] as const;
  const ends = Object.fromEntries(plants.map(([, , to]) => [to, "export const it = 1;"]));
  const starts = Object.fromEntries(plants.map(([, from, to]) => [from, importText(from, to)]));
  const [[, start, end]] = plants;
  const violations = reported({ ...oneFileEach, ...ends, ...starts, [end]: importText(end, start) });
  it.each(plants)("%s is held: %s", (rule, from, to) => {
    // The files of a cycle are reported on lines of their own.
    expect(violations).toContain(rule === "no-cycles" ? `${rule}: ${from} →` : `${rule}: ${from} → ${to}`);
  });

  it("lets a store use the shared database folder", () => {
    const [from, to] = [`${stores}/two/two.ts`, `${stores}/database/open.ts`];
    const { status } = check({ ...oneFileEach, [from]: importText(from, to), [to]: "export const it = 1;" });
    expect(status).toBe(0);
  });
});

describe("the environment", () => {
  it.each([
    ["packages/features/src/one/one.ts", 1],
    ["packages/vision/src/one.ts", 1],
    ["apps/api/src/config.ts", 0],
    ["apps/api/src/cli/serve.ts", 0],
  ])("may be read in %s: lint errors %i", (path, errors) => {
    const folder = temporaryFolder();
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "export const home = process.env.HOME;\n");
    cpSync(join(root, "biome.json"), join(folder, "biome.json"));
    cpSync(join(root, "scripts/long-sleep.grit"), join(folder, "scripts/long-sleep.grit"));
    const args = ["lint", "--vcs-enabled=false", "--only=style/noProcessEnv", path];
    const { status } = spawnSync(join(root, "node_modules/.bin/biome"), args, { cwd: folder });
    expect(status).toBe(errors);
  });
});
