#!/usr/bin/env node
// Starts the service. Plain JavaScript for Node 20: the service itself runs on Node 26, which is among the dependencies.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const neededMajor = 26;
const names = [`node-${process.platform}-${process.arch}`, `node-bin-${process.platform}-${process.arch}`];

/** The present Node where it is new enough, and else that of a package that npm installs only where the Node is too old. */
function findNode() {
  if (Number(process.versions.node.split(".")[0]) >= neededMajor) return process.execPath;
  const own = createRequire(import.meta.url);
  for (const name of names) {
    try {
      const require = createRequire(own.resolve("@product-search/server-node/package.json"));
      const path = join(dirname(require.resolve(`${name}/package.json`)), "bin/node");
      if (existsSync(path)) return path;
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  console.error(
    `Node ${process.versions.node} runs this command, but Node ${neededMajor} is needed, and the package ${names[0]} is not ` +
      "installed. Install with this Node and without --omit=optional, or use a newer one.",
  );
  return process.exit(1);
}

if (process.versions.pnp) {
  console.error(
    "Yarn's Plug'n'Play hides files of this package. Set YARN_NODE_LINKER=node-modules and start again.",
  );
  process.exit(1);
}

const given = process.argv.slice(2);
/** Without a command the service starts, as `pnpm start` in a checkout does. */
const args = given.length === 0 || given[0] === "--empty" ? ["start", ...given] : given;

// Garbage collection leaves one core to requests, and two heaps of glibc keep less memory after a busy time.
const collectors = Math.max(1, Math.min(4, availableParallelism() - 1));
const entry = fileURLToPath(new URL("./api/dist/main.js", import.meta.url));
const child = spawn(findNode(), [`--v8-pool-size=${collectors}`, entry, ...args], {
  stdio: "inherit",
  env: { MALLOC_ARENA_MAX: "2", ...process.env },
});
child.on("error", (error) => {
  console.error(`The service could not be started: ${error.message}`);
  process.exit(1);
});
// A terminal sends Ctrl-C to both; others send their signal to this process alone.
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
process.on("SIGINT", () => {});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
