import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sampleProductInput } from "@product-search/api/compose/sample-products.ts";
import { composeSqliteStores, type SqliteStores } from "@product-search/api/compose/stores/sqlite-stores.ts";
import { type Config, readConfig } from "@product-search/api/config.ts";
import { fromMinor } from "@product-search/core/domain/price/money.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import { createToken } from "@product-search/features/accounts/accounts.ts";
import { packagedEnvironment } from "./whole-number.ts";

const commandLine = fileURLToPath(import.meta.resolve("@product-search/api/main.js"));

export interface BenchService {
  /** Of the process. */
  pid: number;
  root: string;
  token: string;
  /** Milliseconds from starting the process until everything in the database can be searched. */
  readySeconds: number;
  residentMb(): number;
  /** The processor time that the process has used. */
  processorMs(): number;
  close(): Promise<void>;
}

export interface BenchServiceOptions {
  /** A folder for the database, which is kept. Default: a new one, which is removed. */
  dataDir?: string | undefined;
  environment?: (dataDir: string) => Record<string, string>;
  /** Fills the database before the service starts. */
  fill?: (stores: SqliteStores, config: Config) => Promise<unknown>;
}

/** Starts the whole service as a separate process with its own database and without rate limits. */
export async function startBenchService(options: BenchServiceOptions): Promise<BenchService> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "bench-service-"));
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    DATA_DIR: dataDir,
    PORT: "0",
    LOG_LEVEL: "error",
    ...packagedEnvironment,
    TOKEN_RATE_LIMIT: "0",
    TRIAL_RATE_LIMIT: "0",
    ...options.environment?.(dataDir),
  };
  const config = readConfig(environment);
  const stores = await composeSqliteStores(config);
  await options.fill?.(stores, config);
  const { token } = await createToken(
    stores,
    { kind: "command", user: "bench", host: "here" },
    { account: "bench", scopes: ["search"] },
  );
  await stores.close();

  const startedAt = performance.now();
  const child = spawn(process.execPath, [...process.execArgv, commandLine, "serve"], {
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const root = await new Promise<string>((resolve, reject) => {
    let output = "";
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const port = /Serving at http:\/\/[^:]+:(\d+)/.exec(output)?.[1];
      if (port) resolve(`http://127.0.0.1:${port}`);
    });
    child.once("exit", () => reject(new Error(output)));
  });
  while (!(await fetch(`${root}/readyz`)).ok) await delay(50);
  const readySeconds = (performance.now() - startedAt) / 1000;
  return {
    pid: child.pid ?? 0,
    root,
    token,
    readySeconds,
    residentMb() {
      const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
      return Math.round(Number(kilobytes) / 1024);
    },
    processorMs() {
      // After the name of the command, which is in brackets: user and system time in hundredths of a second.
      const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    async close() {
      child.kill("SIGTERM");
      await once(child, "exit");
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const currency = "USD";

/** Writes the first sample products as JSON Lines in the form of the service's responses, as operators would import them. */
export async function writeSampleFeed(
  path: string,
  products: number,
  change = (product: ProductInput): ProductInput => product,
): Promise<void> {
  const file = createWriteStream(path);
  const settings = { currency, nowMs: Date.now() };
  for (let number = 0; number < products; number += 1) {
    const line = JSON.stringify(toRow(change(sampleProductInput(number, settings))));
    if (!file.write(`${line}\n`)) await once(file, "drain");
  }
  file.end();
  await once(file, "finish");
}

function toRow({
  key,
  priceMinor,
  formerPrices: _,
  source: __,
  originalPriceMinor,
  ...rest
}: ProductInput): object {
  const original =
    originalPriceMinor === undefined ? {} : { originalPrice: fromMinor(originalPriceMinor, currency) };
  return { _id: key, price: fromMinor(priceMinor, currency), ...original, ...rest };
}
