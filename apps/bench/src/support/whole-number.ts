import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** An option that cannot be used. The message says what to write. */
export class OptionError extends Error {}

/** The value of an option. */
export function wholeNumber(name: string, text: string, least = 1, most = 2 ** 31): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isInteger(number) && number >= least && number <= most) return number;
  throw new OptionError(`${name} ${text}: write a whole number from ${least} to ${most}.`);
}

/** As in the package, the image and the unit: each thread would else keep memory of its own that it has freed. */
export const packagedEnvironment = { MALLOC_ARENA_MAX: "2" };

/** Runs a script of `src` as a separate process and parses the figures that it prints. */
export async function runChild<Figures>(script: string, args: readonly string[]): Promise<Figures> {
  const path = fileURLToPath(new URL(`../${script}.ts`, import.meta.url));
  const heap = "--max-old-space-size=8192";
  const { stdout } = await promisify(execFile)(process.execPath, [heap, path, ...args], {
    maxBuffer: 2 ** 26,
    env: { ...process.env, ...packagedEnvironment },
  });
  const figures: Figures = JSON.parse(stdout);
  return figures;
}
