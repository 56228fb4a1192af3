import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { createToken } from "@product-search/features/accounts/accounts.ts";
import { createRandom } from "@product-search/sample-catalog";
import { type Dearest, findDearest, measureVictim } from "./hostile/dearest.ts";
import { toSent } from "./hostile/draw-requests.ts";
import type { LoadReport, LoadThreadData } from "./hostile/load-thread.ts";
import { startBenchService } from "./support/bench-service.ts";
import type { Task } from "./support/dispatch.ts";
import { wholeNumber } from "./support/whole-number.ts";
import { fillCatalog } from "./text/text-service.ts";

export const help = `Usage: pnpm bench hostile [--products N] [--threads N] [--draws N] [--seconds N] [--connections N] [--seed N] [--data FOLDER] [--json]
  Searches for the dearest requests, and measures what others wait while one client sends them.
  First it draws so many requests of each operation at random (default 60), from its whole surface, keeps the dearest by
  the processor time of the service, and changes them to find dearer ones. Then one token sends the 20 dearest over 40
  connections without a pause, as many as its limit allows (3000 a minute; 120 without a token), and another token
  searches: its times, those of /healthz beside, and the memory of the service, a minute after the attack too.
  Default: 100000 products, 2 threads, 10 seconds. --seed repeats a search; --data keeps the catalog for the next run.`;

const played = 20;
const backAfterSeconds = 60;

export const run: Task["run"] = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      products: { type: "string", default: "100000" },
      threads: { type: "string", default: "2" },
      draws: { type: "string", default: "60" },
      seconds: { type: "string", default: "10" },
      connections: { type: "string", default: "40" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      back: { type: "string", default: String(backAfterSeconds) },
      data: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const products = wholeNumber("--products", values.products);
  const seconds = wholeNumber("--seconds", values.seconds);
  const seed = wholeNumber("--seed", values.seed);
  let hostileToken = "";
  const service = await startBenchService({
    dataDir: values.data,
    environment: () => ({ THREADS: String(wholeNumber("--threads", values.threads)) }),
    async fill(stores) {
      if ((await stores.catalogStore.lastSequence()) === 0) await fillCatalog(stores, products);
      const actor = { kind: "command", user: "bench", host: "here" } as const;
      const scopes = ["search", "catalog", "merchandising", "webhooks"] as const;
      hostileToken = (await createToken(stores, actor, { account: "hostile", scopes })).token;
    },
  });
  try {
    await measureVictim(service, 2);
    const quiet = await measureVictim(service, seconds);
    const residentMb = service.residentMb();
    const productIds = await readProductIds(service);
    const target = { ...service, token: hostileToken, productIds };
    const dearest = await findDearest(target, wholeNumber("--draws", values.draws), createRandom(seed));
    console.error(`measured ${dearest.length} requests`);
    const attack = await playAgainst(service, {
      root: service.root,
      token: hostileToken,
      seconds,
      connections: wholeNumber("--connections", values.connections),
      requests: dearest
        .toSorted((one, other) => other.processorMs - one.processorMs)
        .slice(0, played)
        .map(({ request }) => toSent(request, productIds)),
    });
    await pause(wholeNumber("--back", values.back) * 1000);
    const memory = { before: residentMb, after: attack.residentMb, later: service.residentMb() };
    report({ products, seed, quiet, attack, memory, dearest: best(dearest) }, values.json);
  } finally {
    await service.close();
  }
};

/** The load runs in another thread: it must not delay the measuring clients. */
async function playAgainst(
  service: Parameters<typeof measureVictim>[0] & { residentMb(): number },
  data: LoadThreadData,
) {
  const worker = new Worker(new URL("./hostile/load-thread.ts", import.meta.url), { workerData: data });
  const ended: Promise<LoadReport[]> = once(worker, "message").then((reports): LoadReport[] => reports);
  const victim = await measureVictim(service, data.seconds);
  const residentMb = service.residentMb();
  const [hostile = {}] = await ended;
  return { ...victim, residentMb, hostile };
}

async function readProductIds({ root, token }: { root: string; token: string }): Promise<string[]> {
  const response = await fetch(`${root}/api/v1/search/catalog?minRating=0&count=250`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { Products }: { Products: { _id: string }[] } = Object(await response.json());
  return Products.map(({ _id }) => _id);
}

/** The dearest of each operation, the dearest operation first. */
function best(dearest: readonly Dearest[]): Dearest[] {
  return [...Map.groupBy(dearest, ({ request: { name } }) => name).values()]
    .flatMap((same) => same.toSorted((one, other) => other.processorMs - one.processorMs).slice(0, 1))
    .sort((one, other) => other.processorMs - one.processorMs);
}

function report(figures: Readonly<Record<string, unknown>> & { dearest: Dearest[] }, asJson: boolean): void {
  if (asJson) {
    console.log(JSON.stringify(figures));
    return;
  }
  const { dearest, ...others } = figures;
  for (const [name, value] of Object.entries(others)) console.log(name.padEnd(9), JSON.stringify(value));
  console.log(
    "the dearest request of each operation, in milliseconds: of the processor, and of the longest wait of /healthz",
  );
  for (const { request, processorMs, healthMs, status } of dearest) {
    const shown = JSON.stringify({ ...request.query, ...request.body });
    console.log(
      `${processorMs.toFixed(1).padStart(7)} ${healthMs.toFixed(0).padStart(5)}  ${request.name.padEnd(20)} ${status} ${shown.slice(0, 150)}`,
    );
  }
}
