import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { root } from "./docs-blocks.ts";

/** The servers that replace those named in the documentation's blocks. */
export interface DocsService {
  servicePort: number;
  mockPort: number;
  token: string;
  folder: string;
}

export interface Started {
  /** The output until it was ready. */
  output: string;
  /** Resolves when this text has been printed as well. */
  until(pattern: RegExp): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a command that runs until it is stopped, and waits for the text that shows it is ready. */
export async function start(
  command: string,
  environment: Record<string, string>,
  pattern: RegExp,
): Promise<Started> {
  // In its own process group, so that its child processes end with it.
  const child = spawn("bash", ["-c", command], {
    cwd: root,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const until = async (pattern: RegExp) => {
    // With a full machine, the images of the sample catalog take several minutes. A command that ends is seen at once.
    const deadline = Date.now() + 600_000;
    while (!pattern.test(output)) {
      if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}:\n${output}`);
      if (Date.now() > deadline) throw new Error(`${command} never said ${pattern}:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return output;
  };
  const stop = () => end(child);
  try {
    await until(pattern);
  } catch (error) {
    await stop();
    throw error;
  }
  return { output, until, stop };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  process.kill(-child.pid, "SIGTERM");
  await ended;
}

/** Runs a block's commands in the folder and with the environment that its page describes. */
export async function bash(
  docs: DocsService,
  text: string,
  { cwd = root, ...environment }: Record<string, string> = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)("bash", ["-c", `set -eu\n${placed(docs, text)}`], {
    cwd,
    env: { ...environmentOf(docs), ...environment },
    maxBuffer: 32 * 1024 * 1024,
  });
  return stdout;
}

/** Runs a program as it stands on a page, in a folder that has the client. */
export async function runProgram(docs: DocsService, text: string, name = "block.mts"): Promise<string> {
  const modules = join(docs.folder, "node_modules");
  if (!existsSync(modules)) {
    for (const scope of ["@product-search", "@tanstack"])
      mkdirSync(join(modules, scope), { recursive: true });
    symlinkSync(join(root, "packages/client"), join(modules, "@product-search/client"));
    for (const other of ["standardwebhooks", "@tanstack/query-core"])
      symlinkSync(join(root, "packages/client/node_modules", other), join(modules, other));
  }
  const file = join(docs.folder, name);
  writeFileSync(file, placed(docs, text));
  const options = { cwd: docs.folder, env: environmentOf(docs) };
  const { stdout } = await promisify(execFile)(process.execPath, [file], options);
  return stdout;
}

function environmentOf({ token, folder }: DocsService) {
  return { ...process.env, TOKEN: token, DATA_DIR: join(folder, "data"), CI: "true" };
}

/** All ports in one pass, because the replacement of the first may itself begin with 4010. */
function placed({ servicePort, mockPort }: DocsService, text: string): string {
  return text.replaceAll(/127\.0\.0\.1:(3000|4010)\b/g, (_, port) =>
    port === "3000" ? `127.0.0.1:${servicePort}` : `127.0.0.1:${mockPort}`,
  );
}
