import { spawnSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const document = JSON.parse(await readFile(join(root, "dist/openapi.json"), "utf8"));

const run = (command: string, ...args: string[]) => runIn(root, command, ...args);
function runIn(cwd: string, command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
}
const tool = (name: string) => join(root, "node_modules/.bin", name);
const passed = { status: 0, output: expect.any(String) };

/** The names that the declarations export, according to TypeScript. */
function exportedNames(): string[] {
  const program = ts.createProgram([join(root, "dist/index.d.ts")], { skipLibCheck: true });
  const checker = program.getTypeChecker();
  const [file] = program.getRootFileNames().map((name) => program.getSourceFile(name));
  const symbol = file && checker.getSymbolAtLocation(file);
  return symbol ? checker.getExportsOfModule(symbol).map(({ name }) => name) : [];
}

describe("names an export for", () => {
  const exported = new Set(exportedNames());

  it.each(Object.keys(document.components.schemas))("the schema %s", (name) => {
    expect(exported).toContain(name);
  });
  const operations: { operationId: string }[] = Object.values<Record<string, { operationId: string }>>(
    document.paths,
  ).flatMap((item) => Object.values(item));
  it.each(operations)("the operation $operationId", ({ operationId }) => {
    expect(exported).toContain(`${operationId[0]?.toUpperCase()}${operationId.slice(1)}Operation`);
  });
});

describe("statusOfCode", () => {
  const documented = document.components.schemas.ErrorCode["x-status"];

  it("is the list of codes in the document, from an ES module and from CommonJS", async () => {
    expect((await import("@product-search/types")).statusOfCode).toEqual(documented);
    expect(createRequire(import.meta.url)("@product-search/types").statusOfCode).toEqual(documented);
  });
});

describe("lists of values", () => {
  it("are those of the document, from an ES module and from CommonJS", async () => {
    const { WebhookType, ErrorCode } = document.components.schemas;
    const module: object = await import("@product-search/types");
    expect(module).toHaveProperty("webhookTypeValues", WebhookType.enum);
    expect(createRequire(import.meta.url)("@product-search/types")).toEqual({ ...module });
    expect(Object.values(module)).not.toContainEqual(ErrorCode.enum);
  });
});

it("an editor shows what each field of a product means", async () => {
  const declarations = await readFile(join(root, "dist/index.d.ts"), "utf8");
  const [, fields = ""] = /^export type Product = \{\n(.*?)^\};/ms.exec(declarations) ?? [];
  expect(fields.match(/\*\/\n {4}\w+\??: /g)).toHaveLength(
    Object.keys(document.components.schemas.Product.properties).length,
  );
});

it("an editor shows the name of a schema, also within another", async () => {
  const declarations = await readFile(join(root, "dist/index.d.ts"), "utf8");
  expect(declarations).not.toMatch(/components\[['"]schemas['"]\]\[/);
});

describe("the packed archive", async () => {
  const folder = await mkdtemp(join(tmpdir(), "types-"));
  afterAll(() => rm(folder, { recursive: true }));
  const archive = join(folder, "types.tgz");
  const packing = run("pnpm", "pack", "--out", archive);

  it("contains only the types, the codes, the document and the files that a registry shows", () => {
    expect(packing).toEqual(passed);
    const { output } = run("tar", "-tzf", archive);
    expect(output.trim().split("\n").toSorted()).toEqual(
      [
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "dist/index.cjs",
        "dist/index.d.cts",
        "dist/index.d.ts",
        "dist/index.js",
        "dist/openapi.json",
        "package.json",
      ].map((file) => `package/${file}`),
    );
  });
  it("passes publint", () => {
    expect(run(tool("publint"), "run", archive, "--strict")).toEqual(passed);
  });
  it("passes arethetypeswrong", () => {
    // The document is JSON and has no types. Everything else is checked for every kind of import.
    expect(run(tool("attw"), archive, "--exclude-entrypoints", "openapi.json", "package.json")).toEqual(
      passed,
    );
  });

  describe("is accepted by the oldest supported TypeScript", async () => {
    const installed = join(folder, "node_modules/@product-search/types");
    await mkdir(installed, { recursive: true });
    run("tar", "-xzf", archive, "-C", installed, "--strip-components", "1");
    const oldest = join(root, "node_modules/typescript-oldest/bin/tsc");
    const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2020"];

    it.each([
      ["partner.mts", "node16", "node16"],
      ["partner.cts", "node16", "node16"],
      ["partner.ts", "esnext", "bundler"],
      ["partner.ts", "commonjs", "node10"],
    ])("from %s as module %s, resolved as %s", async (name, module, resolution) => {
      const file = join(folder, name);
      await copyFile(join(root, "test/partner/partner.ts"), file);
      const resolving = ["--module", module, "--moduleResolution", resolution];
      // From this folder, so that it finds no other types.
      expect(runIn(folder, process.execPath, oldest, ...options, ...resolving, file)).toEqual({
        status: 0,
        output: "",
      });
    });
  });
});
