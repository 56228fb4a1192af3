import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "./docs-blocks.ts";
import { startWithPackage } from "./start-with-package.mjs";

interface Manifest {
  name: string;
  private?: boolean;
  repository?: unknown;
  keywords?: string[];
  files?: string[];
}

const read = (path: string): Manifest => JSON.parse(readFileSync(path, "utf8"));
const published = globSync(["packages/*/package.json", "apps/*/package.json"], { cwd: root }).filter(
  (path) => !read(join(root, path)).private,
);

describe("the published packages", () => {
  it("are the types, the two clients, the mock, the service and its Node", () => {
    expect(published.map((path) => read(join(root, path)).name).toSorted()).toEqual([
      "@product-search/client",
      "@product-search/instantsearch",
      "@product-search/mock",
      "@product-search/server",
      "@product-search/server-node",
      "@product-search/types",
    ]);
  });

  it.each(published)("%s says what a registry shows", (path) => {
    const manifest = read(join(root, path));
    expect(manifest).toMatchObject({
      description: expect.stringMatching(/^.{20,}\.$/),
      license: "MIT",
      engines: { node: expect.stringMatching(/^(>=|<)\d+(\.\d+)?$/) },
      publishConfig: { access: "public" },
      files: expect.arrayContaining(["CHANGELOG.md"]),
    });
    expect(manifest.keywords?.length).toBeGreaterThan(3);
    for (const file of ["README.md", "LICENSE", "CHANGELOG.md"]) {
      expect(existsSync(join(root, dirname(path), file)), file).toBe(true);
    }
  });

  it("come first in the README from the first release on", () => {
    const before = readFileSync(join(root, "README.md"), "utf8");
    const after = startWithPackage(before);
    const firstCommand = (text: string) => /```sh\n(.+)/.exec(text)?.[1];
    // Once released, the page stays as it is.
    if (after !== before) expect(firstCommand(before)).toBe("npx pnpm@12.21.0 start");
    expect(firstCommand(after)).toBe("npx @product-search/server");
    expect(after).toMatch(/npx\s+pnpm@12.21.0 start/);
    expect(after).not.toContain("first release");
    expect(startWithPackage(after)).toBe(after);
  });

  it("name the repository that a workflow publishes them from", () => {
    const folder = mkdtempSync(join(tmpdir(), "repository-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const path of published) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      cpSync(join(root, path), join(folder, path));
    }
    const run = (env: Record<string, string>) =>
      execFileSync(process.execPath, [join(root, "scripts/set-repository.mjs")], { cwd: folder, env });
    run({});
    for (const path of published) expect(read(join(folder, path))).toEqual(read(join(root, path)));
    run({ GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "acme/search" });
    for (const path of published) {
      const url = "git+https://github.com/acme/search.git";
      expect(read(join(folder, path)).repository).toEqual({ type: "git", url, directory: dirname(path) });
    }
  });
});
