// `pnpm dev`: the service as `pnpm start` runs it, from the sources: after an edit the part that it belongs to is built again,
// and the service restarts. Its data stays, and so do the tokens of earlier starts.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, watch } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { context } from "esbuild";
import { build } from "vite";
import { bundle } from "../apps/api/scripts/bundle.ts";

const root = join(import.meta.dirname, "..");
/** As deep as `dist`, which a build or another service may use at the same time. */
const outdir = join(root, "apps/api/dist-dev");
/** An editor may write a file several times, and save several files. */
const settleMs = 50;
const stopMs = 1000;

/** Packages that are built before others read them, and what is built from them. */
const built = ["spec", "types", "client", "instantsearch"];
const pages = ["console", "storefront"] as const;
type Step = "packages" | "pages" | "service";

/** What an edit of a file asks for; none for tests and what was built. */
function stepsOf(path: string): readonly Step[] {
  if (/(?:^|\/)(?:node_modules|dist|generated|test|testing)\/|\.test\.tsx?$|~$/.test(path)) return [];
  if (built.some((name) => path.startsWith(`packages/${name}/`) || path.startsWith(`${name}/`)))
    return ["packages", "pages", "service"];
  if (pages.some((name) => path.startsWith(`apps/${name}/`))) return ["pages"];
  return ["service"];
}

const service = await context({ ...bundle, outdir, sourcemap: false, legalComments: "none" });
let child: ChildProcess | undefined;
let isFirst = true;

const steps: Record<Step, () => Promise<unknown>> = {
  packages: () => run("turbo", ["run", "build", ...built.map((name) => `--filter=@product-search/${name}`)]),
  pages: () =>
    Promise.all(
      pages.map(async (name) => {
        const settings = { root: join(root, "apps", name), logLevel: "warn", mode: "production" } as const;
        await build(settings);
        if (name === "storefront") await build({ ...settings, build: { ssr: "src/server.tsx" } });
      }),
    ),
  service: () => service.rebuild(),
};

/** Packages come first, because the others read what is built from them. A fault leaves the service as it runs. */
async function apply(wanted: ReadonlySet<Step>, changed: string): Promise<void> {
  const startedMs = performance.now();
  try {
    if (wanted.has("packages")) await steps.packages();
    await Promise.all(
      (["pages", "service"] as const).filter((step) => wanted.has(step)).map((step) => steps[step]()),
    );
  } catch (error) {
    // The builders have printed where the fault is.
    console.error(`${changed}: not built. ${error instanceof Error ? error.message.split("\n")[0] : ""}`);
    return;
  }
  await stop();
  await start();
  if (!isFirst)
    console.error(`Restarted in ${((performance.now() - startedMs) / 1000).toFixed(1)} s: ${changed}`);
  isFirst = false;
}

/** Resolves when the service is ready, or has ended. Only the first start prints its addresses and its token. */
function start(): Promise<void> {
  const running = spawn(process.execPath, [join(outdir, "main.js"), "start", ...process.argv.slice(2)], {
    cwd: root,
    // Each thread loads the code once more.
    env: { THREADS: "1", ...process.env },
    stdio: ["inherit", "pipe", "inherit"],
  });
  child = running;
  const shows = isFirst;
  return new Promise((resolve) => {
    running.once("exit", (code) => {
      if (child === running)
        console.error(`The service ended with ${code}. It starts again after the next edit.`);
      resolve();
    });
    running.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (shows) process.stdout.write(text);
      if (text.includes("Ready.")) resolve();
    });
  });
}

/** A service that still waits for a client loses nothing when it is killed. */
async function stop(): Promise<void> {
  const former = child;
  child = undefined;
  if (former === undefined || former.exitCode !== null) return;
  const exit = new Promise((resolve) => former.once("exit", resolve));
  former.kill("SIGTERM");
  await Promise.race([exit, setTimeout(stopMs, undefined, { ref: false })]);
  former.kill("SIGKILL");
  await exit;
}

function run(command: string, args: readonly string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  spawn(command, [...args, "--output-logs=errors-only"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  })
    .once("error", reject)
    .once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}.`))));
  return promise;
}

/** One build at a time: edits meanwhile are built together after it. */
let waiting = new Set<Step>();
let newest = "";
let isBuilding = false;
async function request(wantedSteps: readonly Step[], path: string): Promise<void> {
  if (wantedSteps.length === 0) return;
  for (const step of wantedSteps) waiting.add(step);
  newest = path;
  if (isBuilding) return;
  isBuilding = true;
  while (waiting.size > 0) {
    await setTimeout(settleMs);
    const wanted = waiting;
    waiting = new Set();
    await apply(wanted, newest);
  }
  isBuilding = false;
}

/** Folders of sources: watching a package whole would watch its dependencies. */
async function sourceFolders(): Promise<string[]> {
  const packages = await readdir(join(root, "packages"));
  return [
    ...packages.map((name) => `packages/${name}/src`),
    ...["api", ...pages].map((name) => `apps/${name}/src`),
    "spec",
    ...["paths", "schemas"].map((name) => `spec/${name}`),
  ].filter((folder) => existsSync(join(root, folder)));
}

await rm(outdir, { recursive: true, force: true });
for (const folder of await sourceFolders()) {
  const recursive = folder !== "spec";
  watch(join(root, folder), { recursive }, (_, name) => {
    const path = join(folder, name ?? "");
    void request(stepsOf(path), path);
  });
}
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void stop().then(() => process.exit(0)));
await request(["service"], "");
console.error("Watching the sources. Ctrl-C stops.");
