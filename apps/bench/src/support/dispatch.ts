import { spawn } from "node:child_process";
import { OptionError } from "./whole-number.ts";

/** A benchmark or an evaluation. It parses its own options and prints its own figures. */
export interface Task {
  /** What `--help` prints. */
  readonly help: string;
  run(args: readonly string[]): Promise<void>;
}

export interface TaskEntry {
  readonly summary: string;
  readonly smoke: Smoke;
  readonly load: () => Promise<Task>;
}

export type Tasks = Record<string, TaskEntry>;

/** Runs the task that the first argument names, or lists all tasks. */
export async function dispatch(
  command: string,
  tasks: Tasks,
  [name, ...rest]: readonly string[],
): Promise<void> {
  if (name === "--smoke") {
    const script = process.argv[1] ?? "";
    const failed = await runSmoke(command, tasks, (one, options) => [
      ...process.execArgv,
      script,
      one,
      ...options,
    ]);
    if (failed > 0) process.exitCode = 1;
    return;
  }
  const task = tasks[name ?? ""];
  if (task) {
    try {
      const { help, run } = await task.load();
      if (rest.includes("--help")) console.log(help);
      else await run(rest);
    } catch (error) {
      if (!isAboutOptions(error)) throw error;
      console.error(`${error.message}\n\`pnpm ${command} ${name} --help\` lists the options.`);
      process.exitCode = 2;
    }
    return;
  }
  const wide = Math.max(...Object.keys(tasks).map((one) => one.length));
  const list = Object.entries(tasks).map(([one, { summary }]) => `  ${one.padEnd(wide)}  ${summary}`);
  const text = `Usage: pnpm ${command} <name> [options]   (--help after a name lists its options)
       pnpm ${command} --smoke             every one at a small size, to see that it works\n\n${list.join("\n")}`;
  if (name === undefined || name === "--help" || name === "-h") {
    console.log(text);
    return;
  }
  console.error(`There is no "${name}".\n\n${text}`);
  process.exitCode = 2;
}

/** Of ours or of `parseArgs`. */
function isAboutOptions(error: unknown): error is Error {
  if (error instanceof OptionError) return true;
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS_");
}

/** Options with which a task takes a few seconds, or what it needs that a build machine lacks. */
type Smoke = readonly string[] | { readonly needs: string };

/** Most of them wait most of the time: for servers and for the ends of measured seconds. */
const atOnce = 4;
/** Only a task that hangs is to end here, not one on a busy machine. */
const timeoutMs = 300_000;
const maxLines = 40;

/** Runs every task at a small size in a process of its own, prints which failed, and returns their number. */
async function runSmoke(
  command: string,
  tasks: Readonly<Record<string, { smoke: Smoke }>>,
  argumentsOf: (name: string, options: readonly string[]) => readonly string[],
): Promise<number> {
  let [passed, failed, skipped] = [0, 0, 0];
  const waiting = Object.entries(tasks);
  const runNext = async (): Promise<void> => {
    const next = waiting.shift();
    if (next === undefined) return;
    const [name, { smoke }] = next;
    const title = `pnpm ${command} ${name}`;
    if ("needs" in smoke) {
      skipped += 1;
      console.log(`SKIPPED: ${title} | it needs ${smoke.needs}`);
      return runNext();
    }
    const startedMs = performance.now();
    const { fault, output } = await runOne(argumentsOf(name, smoke));
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    if (fault === undefined) passed += 1;
    else failed += 1;
    console.log(`${title}: ${fault === undefined ? "passed" : `FAILED (${fault})`} in ${seconds} s`);
    if (fault !== undefined) console.log(output.trimEnd().split("\n").slice(-maxLines).join("\n"));
    return runNext();
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed;
}

function runOne(args: readonly string[]): Promise<{ fault: string | undefined; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    let [figures, output] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      figures += text;
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.on("error", (error) => resolve({ fault: error.message, output }));
    child.on("close", (code, signal) => {
      if (signal !== null)
        resolve({ fault: `ended by ${signal}, perhaps after ${timeoutMs / 1000} s`, output });
      else if (code !== 0) resolve({ fault: `status ${code}`, output });
      else resolve({ fault: figures.trim() === "" ? "it printed no figures" : undefined, output });
    });
  });
}
