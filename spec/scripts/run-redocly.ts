import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const root = fileURLToPath(new URL("..", import.meta.url));
const execute = promisify(execFile);

/** Runs Redocly, a tool of the whole repository, and prints its output if it fails. */
export async function redocly(...args: string[]): Promise<void> {
  try {
    await execute(`${root}../node_modules/.bin/redocly`, args, {
      cwd: root,
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      maxBuffer: 16 * 1024 * 1024,
    });
  } catch (error) {
    if (!(error instanceof Error && "stdout" in error && "stderr" in error)) throw error;
    console.error(`redocly ${args.join(" ")} failed:\n${error.stdout}${error.stderr}`);
    process.exit(1);
  }
}
