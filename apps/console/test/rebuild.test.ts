import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

/** A checkout with the built service and the sources of the console. */
const checkout = mkdtempSync(join(tmpdir(), "console-rebuild-"));
const api = fileURLToPath(new URL("../../api/", import.meta.url));
const console = fileURLToPath(new URL("../", import.meta.url));
const consoleCopy = join(checkout, "apps", "console");

function build(): void {
  const vite = join(console, "node_modules", "vite", "bin", "vite.js");
  execFileSync(process.execPath, [vite, "build", "--logLevel", "error"], { cwd: consoleCopy });
}

beforeAll(() => {
  mkdirSync(consoleCopy, { recursive: true });
  mkdirSync(join(checkout, "apps", "api"));
  cpSync(join(api, "dist"), join(checkout, "apps", "api", "dist"), { recursive: true });
  symlinkSync(join(api, "node_modules"), join(checkout, "apps", "api", "node_modules"));
  for (const name of ["src", "public", "index.html", "package.json", "tsconfig.json", "vite.config.ts"])
    cpSync(join(console, name), join(consoleCopy, name), { recursive: true });
  symlinkSync(join(console, "node_modules"), join(consoleCopy, "node_modules"));
  for (const name of ["tsconfig.base.json", "docs/operate.md"])
    cpSync(join(console, "..", "..", name), join(checkout, name));
  build();
});
afterAll(() => rmSync(checkout, { recursive: true, force: true }));

/** Starts the copied service; resolves with its URL and the function to end it. */
async function start(): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [join(checkout, "apps", "api", "dist", "main.js"), "serve"], {
    env: { PATH: process.env.PATH ?? "", DATA_DIR: join(checkout, "data"), PORT: "0", THREADS: "2" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let output = "";
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const served = /Serving at (http:\/\/[^/]+)\//.exec(output)?.[1];
      if (served) resolve(served);
    });
    void ended.then(() => reject(new Error(output)));
  });
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

const names = (text: string) => [...text.matchAll(/[\w-]+-[\w-]{8}\.(?:js|css)/g)].map(([name]) => name);

/** What a browser loads, also later when a screen is opened: name → status and type. New connections reach both threads. */
async function loadAll(url: string): Promise<Record<string, string>> {
  const loaded: Record<string, string> = {};
  const load = async (path: string): Promise<string> => {
    const response = await fetch(`${url}${path}`, { headers: { connection: "close" } });
    loaded[path] = `${response.status} ${response.headers.get("content-type")}`;
    return response.text();
  };
  const waiting = names(await load("/"));
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (loaded[`/assets/${name}`] !== undefined) continue;
    waiting.push(...names(await load(`/assets/${name}`)));
  }
  return loaded;
}

it("a build beside the running service changes nothing for its pages; the next start serves the new build", async () => {
  const service = await start();
  let before: Record<string, string>;
  try {
    before = await loadAll(service.url);
    expect(Object.keys(before).length).toBeGreaterThan(5);
    for (const served of Object.values(before)) expect(served).toMatch(/^200 (text|application)\//);

    // The names of the script and the style sheet change with their content.
    appendFileSync(join(consoleCopy, "src", "main.tsx"), '\ndocument.title = "Rebuilt";\n');
    appendFileSync(join(consoleCopy, "src", "styles", "base.css"), "\nbody { --rebuilt: 1; }\n");
    build();
    for (let round = 0; round < 4; round++) expect(await loadAll(service.url)).toEqual(before);
    // As in the middle of a build, or after one that failed.
    rmSync(join(consoleCopy, "dist"), { recursive: true });
    expect(await loadAll(service.url)).toEqual(before);
    build();
  } finally {
    await service.stop();
  }

  const next = await start();
  try {
    const after = await loadAll(next.url);
    expect(Object.keys(after)).not.toEqual(Object.keys(before));
    for (const served of Object.values(after)) expect(served).toMatch(/^200 /);
  } finally {
    await next.stop();
  }
});
