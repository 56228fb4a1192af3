import { spawnSync } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { Webhook } from "standardwebhooks";
import { afterAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const tool = (name: string) => join(root, "node_modules/.bin", name);
const folder = await mkdtemp(join(tmpdir(), "client-"));
afterAll(() => rm(folder, { recursive: true }));

function run(cwd: string, command: string, args: string[], environment = {}) {
  const env = { ...process.env, ...environment };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  return { status, output: `${stdout}${stderr}`.trim() };
}

const archive = join(folder, "client.tgz");
const passed = { status: 0, output: expect.any(String) };
await writeFile(join(folder, "package.json"), '{"name": "partner", "private": true}');
expect(run(root, "pnpm", ["pack", "--out", archive])).toEqual(passed);
// Offline, so that nothing that is missing in the archive can be downloaded.
const installing = ["install", "--offline", "--no-audit", "--no-fund", archive];
expect(run(folder, "npm", installing, { npm_config_cache: join(folder, "cache") })).toEqual(passed);
for (const name of ["program.cjs", "module.mjs", "common.cjs", "partner.ts"]) {
  await copyFile(join(root, "test/partner", name), join(folder, name));
}

const apiKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const payload = '{"type":"price.alert","data":{}}';
const now = new Date();
const headers = {
  "webhook-id": "ev_1",
  "webhook-timestamp": `${Math.floor(now.getTime() / 1000)}`,
  "webhook-signature": new Webhook(apiKey).sign("ev_1", now, payload),
};
const environment = { SIGNED: JSON.stringify({ apiKey, payload, headers }) };
const expected = JSON.stringify([[], "not_found", "missing_header", "price.alert"]);

describe("the packed client, installed in an empty folder,", () => {
  it("installs no other package", async () => {
    const lock = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8"));
    expect(Object.keys(lock.packages)).toEqual(["", "node_modules/@product-search/client"]);
  });
  it("contains its code, its types and the files that a registry shows", () => {
    const { output } = run(folder, "tar", ["-tzf", archive]);
    const files = [
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "dist/index.cjs",
      "dist/index.d.cts",
      "dist/index.d.ts",
      "dist/index.js",
      "dist/tanstack.cjs",
      "dist/tanstack.d.cts",
      "dist/tanstack.d.ts",
      "dist/tanstack.js",
      "dist/testing.cjs",
      "dist/testing.d.cts",
      "dist/testing.d.ts",
      "dist/testing.js",
    ];
    expect(output.split("\n").sort()).toEqual([...files, "package.json"].map((file) => `package/${file}`));
  });
  it.each(["index.js", "index.cjs"])("is readable: %s has names, comments and short lines", async (name) => {
    const code = await readFile(join(folder, "node_modules/@product-search/client/dist", name), "utf8");
    expect(code).toContain("function pauseBefore(tried, retryAfter) {");
    expect(code).toContain("The seconds of `Retry-After`");
    expect(Math.max(...code.split("\n").map((line) => line.length))).toBeLessThan(500);
  });
  it("runs as an ES module", () => {
    expect(run(folder, process.execPath, ["module.mjs"], environment)).toEqual({
      status: 0,
      output: expected,
    });
  });
  it("runs as CommonJS", () => {
    expect(run(folder, process.execPath, ["common.cjs"], environment)).toEqual({
      status: 0,
      output: expected,
    });
  });
  it.each([
    ["node16", "node16"],
    ["esnext", "bundler"],
    ["commonjs", "node10"],
  ])("is typed for TypeScript 5.0 as module %s, resolved as %s", (module, resolution) => {
    const oldest = join(root, "node_modules/typescript-oldest/bin/tsc");
    const options = [
      "--noEmit",
      "--strict",
      "--target",
      "es2020",
      "--module",
      module,
      "--moduleResolution",
      resolution,
    ];
    expect(run(folder, process.execPath, [oldest, ...options, "partner.ts"])).toEqual({
      status: 0,
      output: "",
    });
  });
  it("passes publint and arethetypeswrong", () => {
    expect(run(root, tool("publint"), ["run", archive, "--strict"])).toEqual(passed);
    expect(run(root, tool("attw"), [archive, "--exclude-entrypoints", "package.json"])).toEqual(passed);
  });
});

describe("bundled for a browser,", async () => {
  const contents = 'export * from "@product-search/client";';
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    platform: "browser",
    format: "iife",
    globalName: "productSearch",
  });
  const code = outputFiles[0]?.text ?? "";

  // 10.3 kB with 37 operations.
  it("is smaller than 10.5 kB, gzipped", () => {
    expect(gzipSync(code).length).toBeLessThan(10_500);
  });
  it("runs with the APIs of a browser, without Node", async () => {
    const asked: string[] = [];
    const fetch = async ({ url }: Request) => {
      asked.push(url);
      return Response.json({ status: "success", Products: [] });
    };
    const browser = {
      AbortController,
      atob,
      btoa,
      clearTimeout,
      crypto,
      fetch,
      FormData,
      Headers,
      performance,
    };
    const more = { location: { href: "https://shop.example/page" }, Request, Response, setTimeout };
    const rest = { TextDecoder, TextEncoder, URL, URLSearchParams, Uint8Array, ArrayBuffer, Blob };
    const context = createContext({ ...browser, ...more, ...rest, signed: { apiKey, payload, headers } });
    const program = `${code}; (async () => {
      const client = productSearch.createClient({ baseUrl: "https://search.example/api/v1" });
      await client.searchTrial({ q: "mug" });
      return (await productSearch.verifyWebhook(signed.payload, signed.headers, signed.apiKey)).type;
    })()`;
    expect(await runInContext(program, context)).toBe("price.alert");
    expect(asked).toEqual(["https://search.example/api/v1/search/trial?q=mug"]);
  });
});
