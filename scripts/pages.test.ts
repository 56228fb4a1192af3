import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { pages, root } from "./docs-blocks.ts";

const scriptsOf = (path: string): Record<string, string> =>
  JSON.parse(readFileSync(join(root, path), "utf8")).scripts ?? {};
const manifests = globSync(["spec/package.json", "{apps,packages}/*/package.json"], { cwd: root });
const scriptsByPackage = new Map(
  manifests.map((path) => [JSON.parse(readFileSync(join(root, path), "utf8")).name, scriptsOf(path)]),
);
const builtIn = ["add", "exec", "install", "licenses", "pack", "sbom"];

it.each(pages)("%s names commands that exist", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const names = [...text.matchAll(/(?<=[`\n])pnpm (?:--filter (\S+) )?(?:run )?([a-z][\w-]*)/g)];
  const unknown = names.filter(([, filter, name = ""]) => {
    const scripts = filter ? scriptsByPackage.get(filter) : scriptsOf("package.json");
    return scripts === undefined || !(name in scripts || builtIn.includes(name));
  });
  expect(unknown.map(([command]) => command)).toEqual([]);
});

it.each(pages)("%s has lines of at most 120 characters, but for tables and blocks", (page) => {
  const text = readFileSync(join(root, page), "utf8").replaceAll(/^( *)```[\s\S]*?^\1```$/gm, "");
  // Neither a row of a table nor code within a line can be broken.
  const long = text.split("\n").filter((line) => line.length > 120 && !/^\s*(\||`[^`]+`[.,]?$)/.test(line));
  expect(long).toEqual([]);
});

it.each(pages)("%s links to files that exist", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = ""]) => target);
  expect(targets.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
});

const packageReadmes = pages.filter((page) => /^(?:apps|packages)\/[\w-]+\/README\.md$/.test(page));
const sources = globSync(
  [
    "{apps,packages}/*/{src,test,testing,bench,train,scripts}/**/*.{ts,tsx,cjs}",
    "packages/types/dist/index.d.ts",
  ],
  {
    cwd: root,
  },
);
const words = new Set(sources.flatMap((path) => readFileSync(join(root, path), "utf8").match(/\w+/g) ?? []));

describe.each(packageReadmes)("%s", (page) => {
  const folder = dirname(page);
  const text = readFileSync(join(root, page), "utf8").replaceAll(/```[\s\S]*?```/g, "");
  const names = [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = ""]) => name);
  const inPackage = globSync(`${folder}/**/*`, { cwd: root, exclude: ["**/node_modules", "**/dist"] });

  it("names files and folders that exist", () => {
    const paths = names.filter((name) =>
      /^[\w<>.-]+(?:\/[\w<>.-]+)*(?:\/|\.(?:ts|tsx|mjs|cjs|css|yaml|bin|wasm))$|^docs\/\S+$/.test(name),
    );
    const missing = paths.filter((path) => {
      const pattern = path.replaceAll(/<[^>]+>/g, "*").replace(/(docs\/decisions\/\d{4})$/, "$1*");
      const at = pattern.replace(/\/$/, "");
      return (
        at !== "dist" &&
        globSync([at, `${folder}/${at}`, `${folder}/**/${at}`], { cwd: root, exclude: ["**/node_modules"] })
          .length === 0
      );
    });
    expect(missing).toEqual([]);
  });

  it("names functions and types that exist", () => {
    const identifiers = names.flatMap(
      (name) => /^(?:[a-z]+[A-Z]|[A-Z][a-z]+[A-Z])\w*(?=$|\()/.exec(name) ?? [],
    );
    expect(identifiers.filter((name) => !words.has(name))).toEqual([]);
  });

  // Published packages also name headers and words of events in this form.
  it("names modules that exist", () => {
    if (!isPrivate(folder)) return;
    const stems = new Set(inPackage.map((path) => basename(path).replace(/\..*$/, "")));
    const modules = names.filter((name) => /^[a-z]+(?:-[a-z]+)+$/.test(name));
    expect(modules.filter((name) => !stems.has(name))).toEqual([]);
  });
});

function isPrivate(folder: string): boolean {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")).private === true;
}

it("README.md names files and folders that exist", () => {
  const text = readFileSync(join(root, "README.md"), "utf8");
  const paths = [...text.matchAll(/`((?:apps|packages|spec|docs)\/[^`<\s]*)`/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it("docs/architecture.md lists the threads that the service has", async () => {
  // Loaded by a computed path, so that the types of the scripts do not include those of the whole service.
  const { roles } = await import(join(root, "apps/api/src/runtime/supervisor.ts"));
  const text = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const section = text.split(/^## /m).find((one) => one.startsWith("Threads")) ?? "";
  const rows = [...section.matchAll(/^\| ([a-z][a-z-]*) +\| /gm)].map(([, role]) => role);
  expect(rows.slice(1)).toEqual(roles);
});
