import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { createThings, type ExistingThings } from "./existing-things.ts";

const main = join(import.meta.dirname, "../../apps/api/dist/main.js");

/** A separate account, because an account has at most 100 webhooks. */
export interface FuzzedAccount {
  token: string;
  existing: ExistingThings;
}

export interface FuzzedService {
  baseUrl: string;
  createAccount(): Promise<FuzzedAccount>;
  /** The output so far. */
  output(): string;
  isRunning(): boolean;
  stop(): Promise<void>;
}

/** The live service with a small sample catalog, without rate limits, in a new folder. */
export async function startService(): Promise<FuzzedService> {
  const dataDir = await mkdtemp(join(tmpdir(), "fuzz-api-"));
  const settings = {
    DATA_DIR: dataDir,
    PORT: "0",
    TRIAL_RATE_LIMIT: "0",
    TOKEN_RATE_LIMIT: "0",
    LOG_LEVEL: "error",
  };
  const env = { ...process.env, ...settings };
  const run = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, [main, ...args], { env })).stdout;
  await run("sample", "--products", "120");

  const child = spawn(process.execPath, [main, "serve"], { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  let output = "";
  const port = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (piece) => {
        output += piece;
        const found = /Serving at http:\/\/[^:]+:(\d+)/.exec(output)?.[1];
        if (found) resolve(found);
      });
    }
    exited.then(() => reject(new Error(`The service did not start:\n${output}`)), reject);
  });
  // It listens before its indexes are ready.
  while (child.exitCode === null && !(await fetch(`http://127.0.0.1:${port}/readyz`)).ok)
    await setTimeout(50);
  let accounts = 0;
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  return {
    baseUrl,
    async createAccount() {
      accounts += 1;
      const args = [
        "--account",
        `fuzz-${accounts}`,
        "--scopes",
        "search,webhooks,catalog,merchandising",
        "--json",
      ];
      const { token }: { token: string } = JSON.parse(await run("token", "create", ...args));
      return { token, existing: await createThings(baseUrl, token) };
    },
    output: () => output,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.kill("SIGTERM");
      await exited;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
