import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { Client, Pool } from "undici";
import { type Ask, type Outcome, openLoop, quantile } from "./marketplace/open-loop.ts";
import { wholeNumber } from "./support/whole-number.ts";
import { round, timingOf } from "./text/figures.ts";
import { fillStore, startTextService } from "./text/text-service.ts";
import { trialRequests } from "./text/trial-requests.ts";
import type { WrittenBatch } from "./text/update-writer.ts";

const help = `Usage: pnpm bench updates [--products N] [--batch N] [--seconds N] [--turn-seconds N] [--json]

The service with two threads over the sample at that size, asked mixed queries at half of the highest rate that it
reaches, by turns alone and while another process changes so many products (default 1000) every two seconds, as an import
does: four seconds each (--turn-seconds), until so many seconds (default 40) of both have passed; the first turn of both warms up. Tells how
far that moves the 99th percentile of a turn, in the median over the turns, since some meet what else goes on in the
machine, and how long after its commit each change is found on every one of eight connections, which are spread
over both threads. The load generator shares the cores.`;

interface Options {
  readonly products: number;
  readonly batch: number;
  readonly seconds: number;
  /** The runs alternate, so that a slower minute of the machine affects both. */
  readonly turnSeconds: number;
}

const everyMs = 2000;
const connections = 8;
const maxWaitMs = 30_000;
/** How often the change is searched for: rarely enough to add no load to the measured one. */
const askAgainMs = 25;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      products: { type: "string", default: "100000" },
      batch: { type: "string", default: "1000" },
      seconds: { type: "string", default: "40" },
      "turn-seconds": { type: "string", default: "4" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return console.log(help);
  const [products, batch, seconds] = [
    wholeNumber("--products", values.products),
    wholeNumber("--batch", values.batch),
    wholeNumber("--seconds", values.seconds),
  ];
  const folder = mkdtempSync(join(tmpdir(), "bench-updates-"));
  try {
    const figures = await measure(folder, {
      products: products ?? 0,
      batch: batch ?? 0,
      seconds: seconds ?? 0,
      turnSeconds: wholeNumber("--turn-seconds", values["turn-seconds"]),
    });
    if (values.json) console.log(JSON.stringify(figures));
    else console.table(figures);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(dataDir: string, options: Options) {
  const { products, batch, seconds, turnSeconds } = options;
  await fillStore(dataDir, products);
  const service = await startTextService(dataDir, 2);
  const writer = await startWriter(dataDir, options);
  const pool = new Pool(service.url.origin, { connections: 32 });
  try {
    const paths = trialRequests(service.url, 200, products);
    const requests = paths.map((path) => ({ method: "GET" as const, path }));
    const fastest = () =>
      autocannon({ url: service.url.origin, connections: 16, duration: turnSeconds, requests });
    await fastest();
    const most = (await fastest()).requests.average;
    const ask: Ask = async (path) => {
      const { statusCode, body } = await pool.request({ path, method: "GET" });
      await body.dump();
      return { status: statusCode, cache: "" };
    };
    const query = (n: number) => paths[n % paths.length] ?? "";
    const turn = () => openLoop(ask, { perSecond: most / 2, seconds: turnSeconds, query });
    const alone: Outcome[] = [];
    const beside: Outcome[] = [];
    const visibleMs: number[] = [];
    for (let warmed = false; beside.length * turnSeconds < seconds; warmed = true) {
      const before = await turn();
      const changes = changeRepeatedly(service.url, writer, visibleMs.length, turnSeconds);
      const meanwhile = await turn();
      visibleMs.push(...(await changes));
      if (!warmed) continue;
      alone.push(before);
      beside.push(meanwhile);
    }
    const visible = timingOf(visibleMs);
    return {
      products,
      batch,
      highestPerSecond: round(most, 0),
      aloneP50Ms: medianOf(alone, 0.5),
      aloneP99Ms: medianOf(alone, 0.99),
      besideP50Ms: medianOf(beside, 0.5),
      besideP99Ms: medianOf(beside, 0.99),
      ratio: round(medianOf(beside, 0.99) / medianOf(alone, 0.99), 2),
      aloneP99MsByTurn: alone.map((outcome) => quantile(outcome, 0.99)),
      besideP99MsByTurn: beside.map((outcome) => quantile(outcome, 0.99)),
      changes: visibleMs.length,
      visibleP50Ms: round(visible.p50Ms, 0),
      visibleMaxMs: round(Math.max(...visibleMs), 0),
      failed: [...alone, ...beside].reduce(
        (sum, { ms, statuses }) => sum + ms.length - (statuses[200] ?? 0),
        0,
      ),
    };
  } finally {
    writer.disconnect();
    await pool.close();
    await service.stop();
  }
}

/** The median of the quantiles of the turns. */
function medianOf(turns: readonly Outcome[], share: number): number {
  return round(timingOf(turns.map((turn) => quantile(turn, share))).p50Ms, 2);
}

async function startWriter(dataDir: string, { products, batch }: Options): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("./text/update-writer.ts", import.meta.url));
  const writer = fork(script, [dataDir, String(products), String(batch)]);
  await once(writer, "message");
  return writer;
}

/** Milliseconds from each commit of one turn until the last connection found the change. */
async function changeRepeatedly(
  url: URL,
  writer: ChildProcess,
  before: number,
  turnSeconds: number,
): Promise<number[]> {
  const changesInTurn = Math.ceil((turnSeconds * 1000) / everyMs);
  const clients = Array.from({ length: connections }, () => new Client(url.origin));
  const visibleMs: number[] = [];
  for (let change = before; change < before + changesInTurn; change++) {
    const next = delay(everyMs);
    // A number, because it is never corrected to a similar word.
    const mark = String(70_000_001 + change);
    const written = once(writer, "message");
    writer.send({ round: change, mark });
    const [batch]: WrittenBatch[] = await written;
    const { committedAtMs = Number.NaN } = batch ?? {};
    await Promise.all(clients.map((client) => untilFound(client, `${url.pathname}/search/trial?q=${mark}`)));
    visibleMs.push(Date.now() - committedAtMs);
    await next;
  }
  await Promise.all(clients.map((client) => client.close()));
  return visibleMs;
}

async function untilFound(client: Client, path: string): Promise<void> {
  for (const deadline = Date.now() + maxWaitMs; ; ) {
    if (Date.now() > deadline) throw new Error(`a change was not found within ${maxWaitMs} ms`);
    const { body } = await client.request({ path, method: "GET" });
    const response: unknown = await body.json();
    const products =
      typeof response === "object" && response !== null && "Products" in response && response.Products;
    if (Array.isArray(products) && products.length > 0) return;
    await delay(askAgainMs);
  }
}
