import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const source = fileURLToPath(new URL("..", import.meta.url));

/** What a registry would hand out, unpacked; its dependencies are those of the checkout. */
let installed: string;
let folder: string;
let packedMegabytes: number;
let unpackedMegabytes: number;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "server-package-"));
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: source });
  const archive = join(folder, "product-search-server-0.0.0.tgz");
  packedMegabytes = readFileSync(archive).length / 1e6;
  execFileSync("tar", ["-xzf", archive, "-C", folder]);
  installed = join(folder, "package");
  unpackedMegabytes = Number(execFileSync("du", ["-sk", installed]).toString().split("\t")[0]) / 1e3;
  symlinkSync(join(source, "node_modules"), join(installed, "node_modules"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function readUntil(child: ChildProcess, end: RegExp): Promise<string> {
  let output = "";
  for await (const chunk of child.stdout ?? []) {
    output += chunk;
    if (end.test(output)) return output;
  }
  throw new Error(`The service ended early:\n${output}`);
}

it("is small: with sharp's 19 MB at most 70 MB on the disk", () => {
  expect(unpackedMegabytes).toBeLessThan(50);
  expect(packedMegabytes).toBeLessThan(30);
});

it("holds every package of ours whose files the service looks up", () => {
  const service = join(installed, "dist/api/dist");
  const code = readdirSync(service).filter((name) => name.endsWith(".js"));
  const wanted = code.flatMap((name) => {
    // Lines are short in the bundle: strings too go on in the next.
    const text = readFileSync(join(service, name), "utf8").replaceAll("\\\n", "");
    return [...text.matchAll(/\bresolve\(\s*"(@product-search\/[^"]+)"/g)];
  });
  expect(wanted.length).toBeGreaterThan(0);
  for (const [, path = ""] of wanted)
    expect(existsSync(join(service, "node_modules", path.split("/").slice(0, 2).join("/"))), path).toBe(true);
  expect(readdirSync(join(service, "node_modules/@product-search/kernels/built"))).toContain("texts.wasm");
});

it("starts without a sample, answers, serves the console and the reference, and stops on SIGTERM", async () => {
  const child = spawn(process.execPath, [join(installed, "dist/main.js"), "--empty"], {
    env: { ...process.env, PORT: "0", DATA_DIR: join(folder, "data"), THREADS: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = await readUntil(child, /Token .*\n/);
  const url = /Base URL\s+(\S+)/.exec(output)?.[1] ?? "";
  const trial = await fetch(`${url}/search/trial?q=lamp`);
  expect(await trial.json()).toEqual({ status: "success", Products: [] });
  const { origin } = new URL(url);
  for (const path of ["/", "/docs/", "/openapi.yaml"])
    expect((await fetch(origin + path)).status, path).toBe(200);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});

it("passes other commands on, with their exit code", () => {
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(installed, "dist/main.js"), ...args], { encoding: "utf8" });
  expect(run("--version")).toContain("product-search, API ");
  expect(() => run("token", "create")).toThrow(expect.objectContaining({ status: 2 }));
});

it("runs on the Node of its package where the present one is too old", () => {
  const old = 'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.12.0" })';
  const run = (service: string) =>
    execFileSync(process.execPath, ["--import", old, join(service, "main.js"), "--version"], {
      encoding: "utf8",
      stdio: "pipe",
      // pnpm's own commands name all packages of the checkout there.
      env: { ...process.env, NODE_PATH: "" },
    });
  expect(run(join(installed, "dist"))).toContain("Node 26.");
  const alone = join(folder, "alone");
  cpSync(join(source, "main.js"), join(alone, "main.js"));
  expect(() => run(alone)).toThrow("Install with this Node and without --omit=optional");
});
