import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The service's command line. */
export const commandLine = fileURLToPath(new URL("../../api/dist/main.js", import.meta.url));

export interface LiveService {
  url: string;
  token: string;
  dataDir: string;
  stop(): Promise<void>;
}

/** What `pnpm start` starts, on a free port over a store of its own. */
export async function startService(environment: Record<string, string> = {}): Promise<LiveService> {
  const dataDir = mkdtempSync(join(tmpdir(), "console-test-"));
  const child = spawn(process.execPath, [commandLine, "start"], {
    env: {
      PATH: process.env.PATH ?? "",
      HOME: process.env.HOME ?? "",
      DATA_DIR: dataDir,
      PORT: "0",
      // All tests share one address.
      TRIAL_RATE_LIMIT: "0",
      PUBLIC_RATE_LIMIT: "0",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = async () => {
    await end(child);
    rmSync(dataDir, { recursive: true, force: true });
  };
  const { url, token } = await readBanner(child);
  return { url, token, dataDir, stop };
}

/** Gives a running service a product of this price. */
export async function importProduct(
  dataDir: string,
  name: string,
  price: number,
  url = "/products/imported",
): Promise<void> {
  await importRows(dataDir, [{ _id: name, name, url, price, availability: "in_stock" }]);
}

/** Gives a running service products, as `pnpm api import` beside it does. */
export async function importRows(dataDir: string, rows: readonly object[]): Promise<void> {
  const file = join(dataDir, "console-test.jsonl");
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join("\n"));
  const { PATH, HOME } = process.env;
  const args = [commandLine, "import", file, "--source", "catalog"];
  await promisify(execFile)(process.execPath, args, { env: { PATH, HOME, DATA_DIR: dataDir } });
}

function readBanner(child: ChildProcess): Promise<{ url: string; token: string }> {
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const url = /Console\s+(http:\/\/[^\s/]+)\//.exec(output)?.[1];
      const token = /(pss_\w{36})/.exec(output)?.[1];
      if (url && token && output.includes("Ctrl-C")) resolve({ url, token });
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", (code) => reject(new Error(`The service ended with ${code}:\n${output}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}
