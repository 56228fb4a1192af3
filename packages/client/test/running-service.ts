import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export interface RunningService {
  baseUrl: string;
  token: string;
  stop: () => Promise<void>;
}

/** The mock, as in its package. */
export function startMock(): Promise<RunningService> {
  const main = fileURLToPath(new URL("../../../apps/mock/dist/main.js", import.meta.url));
  const child = spawn(process.execPath, [main, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  return listening(child, /(?<baseUrl>http:\S+)/, () => Promise.resolve());
}

/** The live service with a small sample catalog, so that it is ready soon. */
export async function startLive(): Promise<RunningService> {
  const main = fileURLToPath(new URL("../../../apps/api/dist/main.js", import.meta.url));
  const dataDir = await mkdtemp(join(tmpdir(), "client-live-"));
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    DATA_DIR: dataDir,
    PORT: "0",
    LOG_LEVEL: "error",
    TRIAL_RATE_LIMIT: "0",
    TOKEN_RATE_LIMIT: "0",
  };
  await promisify(execFile)(process.execPath, [main, "sample", "--products", "120"], { env });
  const child = spawn(process.execPath, [main, "start"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const banner = /Base URL\s+(?<baseUrl>\S+)[\s\S]*(?<token>pss_\w{36})/;
  return listening(child, banner, () => rm(dataDir, { recursive: true, force: true }));
}

/** `prism proxy --errors` in front of a service: Prism reports requests and responses that do not match the document. */
export function startPrismProxy(upstream: string): Promise<RunningService> {
  const { resolve } = createRequire(import.meta.url);
  const [prism, document] = [resolve("@stoplight/prism-cli"), resolve("@product-search/types/openapi.json")];
  const args = [prism, "proxy", document, upstream, "--errors", "--port", "0"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return listening(child, /Prism is listening on (?<baseUrl>http:\S+)/, () => Promise.resolve());
}

async function listening(
  child: ChildProcess,
  banner: RegExp,
  cleanUp: () => Promise<void>,
): Promise<RunningService> {
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
    await cleanUp();
  };
  const found = await new Promise<Record<string, string | undefined>>((resolve) => {
    let output = "";
    child.stdout?.on("data", (piece) => {
      output += piece;
      const groups = output.match(banner)?.groups;
      if (groups) resolve(groups);
    });
    exited.then(() => resolve({ output }));
  });
  const { baseUrl, token = "pss_any", output } = found;
  if (baseUrl) return { baseUrl, token, stop };
  await stop();
  throw new Error(`The service did not start: ${output}`);
}
