import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Target } from "./partner.ts";

const commandLine = fileURLToPath(new URL("../../api/dist/main.js", import.meta.url));
const sampleProducts = 300;
const startTimeoutMs = 540_000;

export interface LocalService {
  target: Target;
  stop(): Promise<void>;
}

/** Starts the live service on a new sample catalog, as a separate process with its own folder. */
export async function startLocalService(): Promise<LocalService> {
  const dataDir = await mkdtemp(join(tmpdir(), "contract-tests-"));
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    DATA_DIR: dataDir,
    PORT: "0",
    LOG_LEVEL: "error",
    TRUST_PROXY: "127.0.0.1",
    // More than twice what three runs need, and so long that a slow machine reaches them, too: only the tests of 429 do.
    TRIAL_RATE_LIMIT: "1000/3600",
    TOKEN_RATE_LIMIT: "1000/3600",
  };
  // A part of the sample is enough, and describing the images of all of it takes most of a minute.
  await runCommand(environment, "sample", "--products", String(sampleProducts));
  const child = spawn(process.execPath, [commandLine, "start"], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = async () => {
    await end(child);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const { baseUrl, token } = await readBanner(child);
    const webhooksOnly = await createToken(environment, "webhooks");
    const tokensWithout = {
      webhooks: await createToken(environment, "search"),
      search: webhooksOnly,
      catalog: webhooksOnly,
      merchandising: webhooksOnly,
    };
    const allScopes = "search,webhooks,catalog,merchandising";
    const load = { token: await createToken(environment, allScopes), trustsForwardedFor: true };
    return { target: { baseUrl, token, tokensWithout, load }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function readBanner(child: ChildProcess): Promise<{ baseUrl: string; token: string }> {
  return new Promise((resolve, reject) => {
    let output = "";
    const late = setTimeout(
      () => reject(new Error(`the service was not ready in time:\n${output}`)),
      startTimeoutMs,
    );
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const baseUrl = /Base URL\s+(\S+)/.exec(output)?.[1];
      const token = /(pss_\w{36})/.exec(output)?.[1];
      if (!baseUrl || !token) return;
      clearTimeout(late);
      resolve({ baseUrl, token });
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once("exit", (code) => {
      clearTimeout(late);
      reject(new Error(`the service ended with code ${code}:\n${output}`));
    });
  });
}

async function createToken(environment: NodeJS.ProcessEnv, scopes: string): Promise<string> {
  const args = ["token", "create", "--account", "contract-tests", "--scopes", scopes, "--json"];
  const created: unknown = JSON.parse(await runCommand(environment, ...args));
  return String(Object(created).token);
}

async function runCommand(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [commandLine, ...args], {
    env: environment,
  });
  return stdout;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 15_000);
  await ended;
  clearTimeout(late);
}
