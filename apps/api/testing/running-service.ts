import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const commandLine = fileURLToPath(new URL("../dist/main.js", import.meta.url));

export interface RunningService {
  child: ChildProcess;
  url: string;
  port: number;
  /** Everything written to both outputs so far. */
  output(): string;
  exit: Promise<number | null>;
}

export function makeDataDir(): string {
  return mkdtempSync(join(tmpdir(), "product-search-process-"));
}

export function removeDataDir(dataDir: string): void {
  rmSync(dataDir, { recursive: true, force: true });
}

/** Runs a command of the command line in a separate process. */
export function run(args: readonly string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, [commandLine, ...args], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, output: () => output, exit };
}

/** `serve` on a free port; resolves when it responds. */
export async function serve(environment: Record<string, string>): Promise<RunningService> {
  const { child, output, exit } = run(["serve"], { PORT: "0", ...environment });
  const port = await new Promise<number>((resolve, reject) => {
    const look = () => {
      const found = /Serving at http:\/\/[^:]+:(\d+)/.exec(output())?.[1];
      if (found) resolve(Number(found));
    };
    child.stderr.on("data", look);
    exit.then((code) => reject(new Error(`ended with ${code} before it served:\n${output()}`)), reject);
  });
  return { child, url: `http://127.0.0.1:${port}`, port, output, exit };
}

/** It listens before its indexes are ready: searches are refused until then. */
export async function serveReady(environment: Record<string, string>): Promise<RunningService> {
  const service = await serve(environment);
  while (!(await fetch(`${service.url}/readyz`)).ok) await setTimeout(50);
  return service;
}
