import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds the command line, which the tests in processes/ start. Turborepo has built it before it runs the tests. */
export function setup(): void {
  if (process.env.TURBO_HASH !== undefined) return;
  const script = fileURLToPath(new URL("../scripts/build.ts", import.meta.url));
  execFileSync(process.execPath, [script], { stdio: "inherit" });
}
