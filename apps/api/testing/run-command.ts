import { format } from "node:util";
import { runCommandLine } from "../src/cli/command-line.ts";

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
  /** Both, in the order in which they were written. */
  output: string;
}

/**
 * Runs a command of the command line in this process, one at a time: a tenth of the time of a process of its own. What a
 * command needs of a process (signals, streams, exit) is tested in `test/processes`.
 */
export async function runCommand(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<CommandResult> {
  const result: CommandResult = { code: 0, stdout: "", stderr: "", output: "" };
  const before = { env: process.env, log: console.log, error: console.error };
  const { stdout, stderr } = process;
  const writes = [stdout.write, stderr.write] as const;
  const capture = (stream: "stdout" | "stderr") => (text: string | Uint8Array) => {
    result[stream] += String(text);
    result.output += String(text);
    return true;
  };
  process.env = { PATH: before.env.PATH, HOME: before.env.HOME, ...environment };
  stdout.write = capture("stdout");
  stderr.write = capture("stderr");
  console.log = (...values) => void capture("stdout")(`${format(...values)}\n`);
  console.error = (...values) => void capture("stderr")(`${format(...values)}\n`);
  process.exitCode = undefined;
  try {
    await runCommandLine(args);
    result.code = Number(process.exitCode ?? 0);
  } finally {
    process.exitCode = undefined;
    process.env = before.env;
    [stdout.write, stderr.write] = writes;
    console.log = before.log;
    console.error = before.error;
  }
  return result;
}
