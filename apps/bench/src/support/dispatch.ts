import { runSmoke, type Smoke } from "./smoke.ts";
import { OptionError } from "./whole-number.ts";

/** A benchmark or an evaluation. It parses its own options and prints its own figures. */
export interface Task {
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
      await (await task.load()).run(rest);
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
