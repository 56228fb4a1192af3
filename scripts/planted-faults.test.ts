// What `pnpm lint` must see. Forbidden imports are planted in import-rules.test.ts.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { root } from "./docs-blocks.ts";

function temporaryTree(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "planted-faults-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function run(folder: string, program: string, args: string[]) {
  const { status, stdout, stderr } = spawnSync(join(root, "node_modules/.bin", program), args, {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

const textOf = (path: string) => readFileSync(join(root, path), "utf8");
const privatePackages = globSync("{apps,packages}/*/package.json", { cwd: root })
  .filter((path) => JSON.parse(textOf(path)).private === true)
  .map((path) => dirname(path));

it("an export that nothing imports is found in every private package, also in a file that others may import", () => {
  const shared = [
    ["knip.json", textOf("knip.json")],
    ["package.json", textOf("package.json")],
    ["pnpm-workspace.yaml", textOf("pnpm-workspace.yaml")],
  ];
  const planted = privatePackages.flatMap((path) => [
    [`${path}/package.json`, textOf(`${path}/package.json`)],
    [`${path}/src/inner.ts`, "export const used = 1;\nexport const plantedInside = 1;\n"],
    ...["main", "index"].map((name) => [
      `${path}/src/${name}.ts`,
      'import { used } from "./inner.ts";\nexport const plantedInEntry = used;\n',
    ]),
  ]);
  const folder = temporaryTree(Object.fromEntries([...shared, ...planted]));
  const { status, output } = run(folder, "knip", ["--include", "exports", "--no-progress"]);
  const missed = privatePackages.filter(
    (path) =>
      !new RegExp(`plantedInside .*${path}/src/inner\\.ts`).test(output) ||
      !new RegExp(`plantedInEntry .*${path}/src/(?:main|index)\\.ts`).test(output),
  );
  expect(missed).toEqual([]);
  expect(status).toBe(1);
});

it.each([
  ["await setTimeout(1001);", 1],
  ["await setTimeout(1_500);", 1],
  ["await delay(10_000);", 1],
  ["await delay(3 * 1000, undefined);", 1],
  ["await new Promise((resolve) => setTimeout(resolve, 2000));", 1],
  ["await setTimeout(1000);", 0],
  ["await new Promise((resolve) => setTimeout(resolve, 20));", 0],
  ["const timer = setTimeout(fail, 30_000);", 0],
  ["await delay(60_000, undefined, { signal });", 0],
])("a test that sleeps for more than a second is a fault: %s", (line, faults) => {
  const path = "packages/core/src/planted.test.ts";
  const folder = temporaryTree({ [path]: `${line}\n`, "biome.json": textOf("biome.json") });
  mkdirSync(join(folder, "scripts"));
  cpSync(join(root, "scripts/long-sleep.grit"), join(folder, "scripts/long-sleep.grit"));
  const { status, output } = run(folder, "biome", ["lint", "--vcs-enabled=false", "--only=plugin", path]);
  expect(output.includes("sleeps for more than a second")).toBe(faults === 1);
  expect(status).toBe(faults);
});
