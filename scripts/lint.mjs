// `pnpm lint`: every check that runs no test. It goes on after a failure, so that one run shows all of them.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { staticChecks } from "./static-checks.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const failed = staticChecks.filter(([name, program, args]) => {
  console.log(`── ${name}`);
  const bin = fileURLToPath(new URL(`../node_modules/.bin/${program}`, import.meta.url));
  return spawnSync(bin, args, { cwd: root, stdio: "inherit" }).status !== 0;
});
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.map(([name]) => name).join(", ")}`);
  process.exitCode = 1;
}
