import { spawnSync } from "node:child_process";

/** An error that the user can fix: its message says what is missing and what to do. */
export class ServersError extends Error {}

/** Runs a command. If it fails, the error contains its output. */
export function run(command: string, args: readonly string[], options: { cwd?: string } = {}): string {
  const result = spawnSync(command, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024, ...options });
  if (result.error) throw new ServersError(`${command} cannot be run: ${result.error.message}`);
  if (result.status === 0) return result.stdout;
  const printed = `${result.stdout}${result.stderr}`.trim().split("\n").slice(-15).join("\n");
  throw new ServersError(`${command} ${args.join(" ")} ended with ${result.status}:\n${printed}`);
}
