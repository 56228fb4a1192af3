import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { pages, root } from "./docs-blocks.ts";

const scriptsOf = (path: string): Record<string, string> =>
  JSON.parse(readFileSync(join(root, path), "utf8")).scripts ?? {};
const manifests = globSync(["spec/package.json", "{apps,packages}/*/package.json"], { cwd: root });
const scriptsByPackage = new Map(
  manifests.map((path) => [JSON.parse(readFileSync(join(root, path), "utf8")).name, scriptsOf(path)]),
);
const builtIn = ["add", "dlx", "exec", "install", "licenses", "pack", "sbom", "stage"];

it.each(pages)("%s names commands that exist", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const names = [...text.matchAll(/(?<=[`\n])pnpm (?:--filter (\S+) )?(?:run )?([a-z][\w-]*)/g)];
  const unknown = names.filter(([, filter, name = ""]) => {
    const scripts = filter ? scriptsByPackage.get(filter) : scriptsOf("package.json");
    return scripts === undefined || !(name in scripts || builtIn.includes(name));
  });
  expect(unknown.map(([command]) => command)).toEqual([]);
});

it.each(pages)("%s links to files that exist", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = ""]) => target);
  expect(targets.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
});

it("README.md names files and folders that exist", () => {
  const text = readFileSync(join(root, "README.md"), "utf8");
  const paths = [...text.matchAll(/`((?:apps|packages|spec|docs)\/[^`<\s]*)`/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

/** "`productFields` in `packages/core/src/domain/fields.ts`". */
const placesOfNames = [
  ...readFileSync(join(root, "README.md"), "utf8").matchAll(/`(\w+)` in `((?:apps|packages)\/[^`]+\.ts)`/g),
].map(([, name = "", path = ""]) => ({ name, path }));

it.each(placesOfNames)("README.md is right that $name is in $path", ({ name, path }) => {
  expect(placesOfNames.length).toBeGreaterThan(4);
  const text = readFileSync(join(root, path), "utf8");
  expect(text).toMatch(new RegExp(`^(export )?(const|type|interface|function) ${name}\\b`, "m"));
});

/** Of each kind of change that README.md counts, one that exists: a second list of them would name it in one more file. */
const members: Readonly<Record<string, RegExp>> = {
  "an error code": /\bdelivery_not_found\b/,
  "a field of a product": /\breleasedAt\b/,
  "a third marketplace": /(?:marketplace[-_]|MARKETPLACE_|[mM]arketplace)[bB](?![a-z])/,
  "a language": /["'/]fr["'.]|\bfr:|french\b/,
  "an event of webhooks": /\bstock\.alert\b/,
  "a setting": /\bBACKUP_TIME\b/,
  "a tool for assistants": /\bname: "ask"/,
};
const sources = execFileSync("git", ["ls-files", "apps", "packages", "spec", ".env.example"], { cwd: root })
  .toString()
  .split("\n")
  .filter((path) => /\.(?:tsx?|yaml|json|example)$/.test(path))
  .filter((path) => !/test|contract|^spec\/released|^apps\/bench|\/make\/|\/data\//.test(path))
  .map((path) => ({ path, code: path.endsWith(".json") ? "" : readFileSync(join(root, path), "utf8") }));
const counts = readFileSync(join(root, "README.md"), "utf8").matchAll(/^\| (\S.*?) +\| (\d+) +\| /gm);
const filesOf = new Map([...counts].map(([, change = "", count = ""]) => [change, Number(count)]));

it.each(Object.entries(members))("README.md is right how many files %s takes", (change, member) => {
  const named = sources.filter(({ path, code }) => member.test(path) || member.test(code));
  expect(named, named.map(({ path }) => path).join("\n")).toHaveLength(filesOf.get(change) ?? 0);
  expect(filesOf.size).toBe(Object.keys(members).length);
});
