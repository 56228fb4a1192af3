import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sampleProductInput } from "@product-search/api/compose/sample-products.ts";
import { composeSqliteStores, type SqliteStores } from "@product-search/api/compose/stores/sqlite-stores.ts";
import { readConfig } from "@product-search/api/config.ts";
import { packagedEnvironment } from "../support/whole-number.ts";

const commandLine = fileURLToPath(import.meta.resolve("@product-search/api/main.js"));
const productBatchSize = 2000;

/** A sample product without its images, so that only text search has work to do. */
export function imageless(number: number, nowMs: number) {
  return { ...sampleProductInput(number, { currency: "USD", nowMs }), images: [] };
}

/** Puts this many products into the database. There is no other writer, so it does not pause. */
export async function fillStore(dataDir: string, products: number): Promise<void> {
  const stores = await composeSqliteStores(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" }));
  await fillCatalog(stores, products);
  await stores.close();
}

/** The same for a database that is open. */
export async function fillCatalog(
  { catalogStore }: Pick<SqliteStores, "catalogStore">,
  products: number,
): Promise<void> {
  const nowMs = Date.now();
  for (let from = 0; from < products; from += productBatchSize) {
    const count = Math.min(productBatchSize, products - from);
    await catalogStore.apply(Array.from({ length: count }, (_, i) => imageless(from + i, nowMs)));
  }
}

interface TextService {
  /** Base URL, ending in `/api/v1`. */
  readonly url: URL;
  /** From starting the process to the first response. */
  readonly startSeconds: number;
  readonly pid: number;
  residentMb(): number;
  stop(): Promise<void>;
}

/** The whole service as a separate process. */
export async function startTextService(dataDir: string, threads: number): Promise<TextService> {
  const startedAt = performance.now();
  const environment = {
    DATA_DIR: dataDir,
    PORT: "0",
    LOG_LEVEL: "error",
    TRIAL_RATE_LIMIT: "0",
    ...packagedEnvironment,
  };
  const child = spawn(process.execPath, [...process.execArgv, commandLine, "serve"], {
    env: { PATH: process.env.PATH, ...environment, THREADS: String(threads) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const url = new URL(await addressOf(child.stderr));
  while (!(await fetch(`${url}/search/trial?q=lamp`)).ok) await delay(20);
  return {
    url,
    pid: child.pid ?? 0,
    startSeconds: Math.round((performance.now() - startedAt) / 10) / 100,
    residentMb: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024,
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  const said: string[] = [];
  for await (const line of createInterface(stderr)) {
    const address = /Serving at (\S+)/.exec(line)?.[1];
    if (address !== undefined) return address;
    said.push(line);
  }
  throw new Error(`The service ended before it served, and said:\n${said.join("\n")}`);
}
