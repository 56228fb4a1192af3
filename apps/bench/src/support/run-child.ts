import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Runs a script of `src` as a separate process and parses the figures that it prints. */
export async function runChild<Figures>(script: string, args: readonly string[]): Promise<Figures> {
  const path = fileURLToPath(new URL(`../${script}.ts`, import.meta.url));
  const heap = "--max-old-space-size=8192";
  const { stdout } = await promisify(execFile)(process.execPath, [heap, path, ...args], {
    maxBuffer: 2 ** 26,
  });
  const figures: Figures = JSON.parse(stdout);
  return figures;
}
