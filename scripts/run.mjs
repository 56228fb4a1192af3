// Shared by `pnpm start`, `pnpm api` and the other root commands: finds the right Node, builds, and runs the command. Plain
// JavaScript, because it must also work on a Node that cannot run TypeScript.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [command, ...rest] = process.argv.slice(2);

if (Number(process.versions.node.split(".")[0]) < 26) {
  console.error(
    `Node ${process.versions.node} runs this command, but Node 26 is needed. It comes with the dependencies: ` +
      "run `npx pnpm@12.21.0 install` and try again; the output above says why an installation failed.",
  );
  process.exit(1);
}

const api = "apps/api/dist/main.js";
const commands = {
  start: {
    needs: ["@product-search/api...", "@product-search/console...", "@product-search/storefront..."],
    run: ["node", api, "start"],
  },
  // The part of the service that is built here is built again after each edit.
  dev: {
    needs: ["@product-search/api^...", "@product-search/console...", "@product-search/storefront..."],
    run: ["node", "scripts/dev.ts"],
  },
  api: { needs: ["@product-search/api..."], run: ["node", api] },
  mock: { needs: ["@product-search/mock..."], run: ["node", "apps/mock/src/main.ts"] },
  "contract-tests": {
    needs: ["@product-search/contract-tests...", "@product-search/api..."],
    run: ["node", "apps/contract-tests/src/main.ts"],
  },
  "check-lean": { needs: ["@product-search/api..."], run: ["node", "scripts/check-lean.ts"] },
  "check-licences": {
    needs: ["@product-search/client...", "@product-search/mock..."],
    run: ["node", "scripts/supply-chain/check-licences.ts"],
  },
  sbom: {
    needs: ["@product-search/client...", "@product-search/mock..."],
    run: ["node", "scripts/supply-chain/write-sbom.ts"],
  },
  "check-breaking-changes": { needs: [], run: ["node", "spec/scripts/check-breaking-changes.ts"] },
  lint: { needs: ["@product-search/client..."], run: ["node", "scripts/lint.mjs"] },
  bench: { needs: ["@product-search/bench..."], run: ["node", "apps/bench/src/main.ts"] },
  "rehearse-cluster": {
    needs: ["@product-search/bench..."],
    run: ["node", "apps/bench/src/rehearsal/main.ts"],
  },
  eval: { needs: ["@product-search/bench..."], run: ["node", "apps/bench/src/evaluations/eval.ts"] },
};

// By default, Node uses four threads for garbage collection, with the same priority as the threads that handle requests. With
// few cores they would delay requests, so one core is always left free.
const collectors = Math.max(1, Math.min(4, availableParallelism() - 1));
const nodeOptions = [`--v8-pool-size=${collectors}`];

/** Builds what the command needs. Its output goes to standard error, because standard output is for the command. */
function build(filters) {
  const turbo = fileURLToPath(new URL("../node_modules/.bin/turbo", import.meta.url));
  const chosen = filters.map((f) => `--filter=${f}`);
  // The lock file has Turborepo for Linux only. Without it everything is built each time, and nothing is cached.
  const hasTurbo = process.platform === "linux" || spawnSync(turbo, ["--version"]).status === 0;
  const [program, args] = hasTurbo
    ? [turbo, ["run", "build", "--output-logs=errors-only", "--log-order=grouped", ...chosen]]
    : ["pnpm", ["--recursive", ...chosen, "run", "build"]];
  const result = spawnSync(program, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      PATH: pathWithPnpm(),
      TURBO_TELEMETRY_DISABLED: "1",
      TURBO_NO_UPDATE_NOTIFIER: "1",
    },
  });
  if (result.status !== 0) {
    process.stderr.write(result.stdout ?? "");
    process.exit(result.status ?? 1);
  }
}

/** Turborepo refuses to run where it finds no pnpm. */
function pathWithPnpm() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  if (folders.some((folder) => existsSync(join(folder, "pnpm")))) return process.env.PATH;
  return [...folders, join(root, "scripts/without-pnpm")].join(delimiter);
}

if (command === "test") {
  await import("./test.mjs");
} else {
  runCommand(commands[command]);
}

/** Builds, then replaces this process by the command, so that signals reach it directly. */
function runCommand(wanted) {
  if (!wanted) {
    console.error(`Unknown command "${command}". One of: ${Object.keys(commands).join(", ")}, test.`);
    process.exit(2);
  }
  if (wanted.needs.length > 0) build(wanted.needs);
  const script = fileURLToPath(new URL(`../${wanted.run[1]}`, import.meta.url));
  if (!existsSync(script)) {
    console.error(`${wanted.run[1]} is missing from this checkout.`);
    process.exit(1);
  }
  const argv = [process.execPath, ...nodeOptions, script, ...wanted.run.slice(2), ...rest];
  // glibc keeps what threads have freed in a heap for each: with two heaps, a service keeps some 40 MB less after a busy
  // time, and is as fast.
  process.execve(process.execPath, argv, { MALLOC_ARENA_MAX: "2", ...process.env });
}
