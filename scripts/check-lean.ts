// Fails if the service has become clearly heavier: `.ci/run lean`. It starts `serve` with two threads and 1,000 products
// without images, searches, and compares with limits that hold on a busy machine: processor time and memory hardly depend
// on what else runs there, wall time does. The start is compared with a fixed piece of work in the same run, because
// machines differ. Each limit is about a tenth above what was measured when it was set. What `pnpm start` installs in a
// clean clone is always the same, so its limit is what the README promises.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const limits = {
  threads: 5,
  startRatio: 4.2,
  // 299, of which the products that two HTTP threads keep for later searches are about 30.
  residentMb: 325,
  indexBytesPerProduct: 77,
  // 82 to 91 in four starts.
  allocatedKbPerSearch: 105,
  wakeUpsPerSecond: 15,
};
// Measured: 510, of which 57 are InstantSearch, `algoliasearch` and their parts for the shop page.
const installedMbLimit = 520;
const root = fileURLToPath(new URL("..", import.meta.url));
const api = fileURLToPath(new URL("../apps/api/dist/main.js", import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), "lean-"));
const env = {
  ...process.env,
  DATA_DIR: dataDir,
  PORT: "0",
  THREADS: "2",
  LOG_LEVEL: "warn",
  TRIAL_RATE_LIMIT: "1000000/60",
};
const products = 1000;
const searches = 1000;
const colours = ["red", "blue", "green", "black"];
const things = ["lamp", "chair", "shoe", "kettle", "jacket"];

try {
  const rows = Array.from({ length: products }, (_, n) => ({
    _id: `p${n}`,
    name: `${colours[n % 4]} ${things[n % 5]} number ${n}`,
    price: 5 + (n % 200),
    url: `https://shop.example/${n}`,
    storeName: "Shop",
  }));
  const feed = join(dataDir, "feed.jsonl");
  writeFileSync(feed, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  run(process.execPath, [api, "import", feed, "--source", "catalog"]);
  // The first start writes the text index and the cache of compiled code: the next three are measured.
  await measure();
  const starts = [await measure(), await measure(), await measure()];
  for (const [name, limit] of Object.entries(limits)) {
    compare(name, median(starts.map((start) => start[name as keyof typeof limits])), limit);
  }
  compare("installedMb", installedMb(), installedMbLimit);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

function compare(name: string, value: number, limit: number): void {
  const isOver = !(value <= limit);
  if (isOver) process.exitCode = 1;
  console.log(`${isOver ? "✗" : "✓"} ${name}: ${value} (limit ${limit})`);
}

function installedMb(): number {
  const clone = join(dataDir, "clone");
  run("git", ["clone", "--quiet", root, clone]);
  run(process.execPath, [join(clone, "scripts/install.mjs"), "start"]);
  return Number.parseInt(run("du", ["-sm", join(clone, "node_modules")]), 10);
}

function run(program: string, args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { env, encoding: "utf8" });
  if (error || status !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${error ?? stderr}`);
  return stdout;
}

/** The processor time of work as a start has it: strings, maps, JSON. The median of three processes. */
function referenceSeconds(): number {
  const work = `const words = Array.from({ length: 200_000 }, (_, n) => "word " + ((n * 7919) % 200_003));
    const places = new Map(words.map((word, place) => [word, place]));
    JSON.parse(JSON.stringify([...places]));
    words.sort();
    const { user, system } = process.cpuUsage();
    console.log((user + system) / 1e6);`;
  const times = [1, 2, 3].map(() =>
    Number(spawnSync(process.execPath, ["-e", work], { encoding: "utf8" }).stdout),
  );
  return median(times);
}

/** Of three. */
function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[1] ?? Number.NaN;
}

async function measure(): Promise<typeof limits> {
  const child = spawn(process.execPath, [api, "serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
  const exit = new Promise((resolve) => child.once("exit", resolve));
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let output = "";
      child.stderr.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        const [, found] = /Serving at (http:\/\/[^/\s]+)/.exec(output) ?? [];
        if (found !== undefined) resolve(found);
      });
      child.once("exit", () => reject(new Error(`The service ended:\n${output}`)));
    });
    while (!(await fetch(`${url}/readyz`)).ok) await setTimeout(20);
    const startSeconds = processorSeconds(child.pid);
    // V8 compiles what these call: what it interprets allocates more. After one round, one build has 96 to 143 kB.
    await search(url);
    await search(url);
    const allocatedBefore = allocatedKb(await readMetrics(url));
    await search(url);
    const allocatedKbPerSearch = Math.round(
      (allocatedKb(await readMetrics(url)) - allocatedBefore) / searches,
    );
    // Until the searches are counted, and what depends on them has ended.
    await setTimeout(4000);
    const wakeUpsBefore = wakeUps(child.pid);
    await setTimeout(6000);
    const wakeUpsPerSecond = Math.round((wakeUps(child.pid) - wakeUpsBefore) / 6);
    const metrics = await readMetrics(url);
    const threads = new Set(
      [...metrics.matchAll(/^product_search_thread_memory_bytes\{thread="([^"]+)"/gm)].map(
        ([, name]) => name,
      ),
    );
    const residentMb = Math.round(Number(/VmRSS:\s+(\d+)/.exec(procFile(child.pid, "status"))?.[1]) / 1024);
    const startRatio = Math.round((100 * startSeconds) / referenceSeconds()) / 100;
    const indexBytesPerProduct = Math.round(folderBytes(join(dataDir, "text-index")) / products);
    return {
      threads: threads.size,
      startRatio,
      residentMb,
      indexBytesPerProduct,
      allocatedKbPerSearch,
      wakeUpsPerSecond,
    };
  } finally {
    child.kill("SIGTERM");
    await exit;
  }
}

async function search(url: string): Promise<void> {
  for (let n = 0; n < searches; n++) {
    const response = await fetch(`${url}/api/v1/search/trial?q=${colours[n % 4]}+${things[n % 5]}`);
    if (!response.ok) throw new Error(`A search failed with ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
}

async function readMetrics(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

/** By the threads that handle requests. */
function allocatedKb(metrics: string): number {
  const values = [
    ...metrics.matchAll(/^product_search_thread_allocated_bytes_total\{thread="http[^"]*"\} (\d+)/gm),
  ];
  return values.reduce((sum, [, bytes]) => sum + Number(bytes), 0) / 1024;
}

function folderBytes(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** Of all threads, in user and system mode: the kernel counts hundredths of a second. */
function processorSeconds(pid: number | undefined): number {
  const fields = procFile(pid, "stat").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** How often a thread has waited and was woken. */
function wakeUps(pid: number | undefined): number {
  const switches = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(procFile(pid, `task/${thread}/status`))?.[1]),
  );
  return switches.reduce((sum, value) => sum + value, 0);
}

function procFile(pid: number | undefined, name: string): string {
  return readFileSync(`/proc/${pid}/${name}`, "utf8");
}
