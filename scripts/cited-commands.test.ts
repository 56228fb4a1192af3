import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pages, root } from "./docs-blocks.ts";

const everyPage = [...pages, ...globSync("{apps,packages}/*/!(README|CHANGELOG).md", { cwd: root })];
const text = new Map(everyPage.map((page) => [page, readFileSync(join(root, page), "utf8")]));
const print = (file: string, ...args: string[]) =>
  execFileSync(process.execPath, [join(root, file), ...args], { encoding: "utf8" });

const scripts: Record<string, string> = {
  bench: "apps/bench/src/main.ts",
  eval: "apps/bench/src/evaluations/eval.ts",
};
const lists = Object.entries(scripts).map(([command, file]) => [
  command,
  new Set([...print(file, "--help").matchAll(/^ {2}([a-z][\w-]*) {2}/gm)].map(([, name]) => name)),
]);
const names: Record<string, Set<string>> = Object.fromEntries(lists);

/** `pnpm bench text --products 5`, with the options that stand after it, up to the end of the code or the line. */
const citations = [...text].flatMap(([page, body]) =>
  [...body.matchAll(/\bpnpm (bench|eval) +(--smoke|[a-z][\w-]*)([^`\n|;&]*)/g)].map(
    ([citation, command = "", name = "", rest = ""]) => ({
      page,
      citation: citation.trim(),
      command,
      name,
      options: rest.match(/(?<=\s)--[\w-]+/g) ?? [],
    }),
  ),
);

describe("commands that the documents cite", () => {
  it("are benchmarks and evaluations that exist", () => {
    expect(citations.length).toBeGreaterThan(0);
    const unknown = citations.filter(({ command, name }) => name !== "--smoke" && !names[command]?.has(name));
    expect(unknown.map(({ page, citation }) => `${page}: ${citation}`)).toEqual([]);
  });

  it("have options that their help names", () => {
    const helps = new Map<string, string>();
    const helpOf = (command: string, name: string) => {
      const key = `${command} ${name}`;
      const help = helps.get(key) ?? print(scripts[command] ?? "", name, "--help");
      helps.set(key, help);
      return new Set(help.match(/--[\w-]+/g));
    };
    const unknown = citations
      .filter(({ options }) => options.length > 0)
      .flatMap(({ page, command, name, citation, options }) =>
        options
          .filter((option) => !helpOf(command, name).has(option))
          .map((option) => `${page}: ${citation}: ${option}`),
      );
    expect(unknown).toEqual([]);
  });

  it("are parts of .ci/run, root commands of package.json, or what pnpm does itself", () => {
    const parts = execFileSync("bash", [join(root, ".ci/run"), "--list"], { encoding: "utf8" })
      .trim()
      .split("\n");
    const cited = [...text].flatMap(([page, body]) =>
      [...body.matchAll(/\.ci\/run +([a-z-]+)/g)].map(([citation, part = ""]) => ({ page, citation, part })),
    );
    expect(cited.filter(({ part }) => part !== "--list" && !parts.includes(part))).toEqual([]);

    const { scripts: rootCommands } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const ofPnpm = [
      "add",
      "approve-builds",
      "deploy",
      "dlx",
      "exec",
      "install",
      "licenses",
      "pack",
      "publish",
      "run",
      "stage",
      "why",
    ];
    const known = new Set([...Object.keys(rootCommands), ...ofPnpm]);
    const calls = [...text].flatMap(([page, body]) =>
      [...body.matchAll(/`(?:npx )?pnpm(?:@[\d.]+)? ([a-z][\w-]*)/g)].map(([citation, name = ""]) => ({
        page,
        citation,
        name,
      })),
    );
    expect(calls.length).toBeGreaterThan(0);
    expect(
      calls.filter(({ name }) => !known.has(name)).map(({ page, citation }) => `${page}: ${citation}`),
    ).toEqual([]);
  });
});
