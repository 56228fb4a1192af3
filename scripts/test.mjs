// `pnpm test`: formatting, unused code, import rules, types, then every suite of every package. One summary at the end.
// `pnpm test --servers`: only the suites that need a server or a program that a fresh machine lacks.
// `pnpm test --histories`: only what kills, waits or compares for a minute (`test/histories/` of a package).
// `pnpm test --slowest`: the same as `pnpm test`, and which ten test files took longest.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { watchLauncher } from "../apps/api/src/cli/support/watch-launcher.ts";
import { collectResults } from "./failed-tests.mjs";
import { collectDurations } from "./slowest-files.mjs";
import { staticChecks } from "./static-checks.mjs";
import { findTestServers } from "./test-servers.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const compileCache = fileURLToPath(new URL("../node_modules/.cache/compile", import.meta.url));
const bin = (name) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));

const options = process.argv.slice(3);
if (options.some((option) => !["--servers", "--histories", "--slowest"].includes(option))) {
  console.error(
    `${options.join(" ")} is not understood. Usage: pnpm test [--servers] [--histories] [--slowest]`,
  );
  process.exit(2);
}

const turbo = ["--concurrency=2", "--log-order=grouped", "--continue"];
const suitesOnServers = [
  [["suites on servers", "turbo", ["run", "test:servers", ...turbo]]],
  [
    [
      "the rules that need a program",
      "vitest",
      ["related", "--run", "--root", "scripts", "--project", "checks", "--tagsFilter=servers"].concat(
        fileURLToPath(new URL("../packages/testing/src/servers/suite.ts", import.meta.url)),
      ),
    ],
  ],
];

const histories = [[["histories", "turbo", ["run", "test:histories", ...turbo]]]];

const [formatting, ...otherChecks] = staticChecks;

// The steps of a group run at the same time.
const everything = [
  [formatting],
  // First of all, because the service reads the console's files when it starts, and its suites do not depend on them.
  [["build", "turbo", ["run", "build", ...turbo]]],
  [["types and suites", "turbo", ["run", "check", "test", ...turbo]]],
  otherChecks,
  [
    ["the rules themselves", "vitest", ["run", "--root", "scripts", "--project", "checks"]],
    ["a new operation", "vitest", ["run", "--root", "scripts", "--project", "operation"]],
    ["the documents", "vitest", ["run", "--root", "scripts", "--project", "docs"]],
  ],
];

/** Runs one step in its own process group, so that an interruption ends everything it started. */
function run(command, args, output) {
  return new Promise((resolve) => {
    const child = spawn(bin(command), args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
      env: {
        ...process.env,
        CHROMIUM: browser ?? "none",
        ...servers,
        // Suites start hundreds of processes of the same files.
        NODE_COMPILE_CACHE: compileCache,
        TURBO_TELEMETRY_DISABLED: "1",
        TURBO_NO_UPDATE_NOTIFIER: "1",
        FORCE_COLOR: "0",
      },
    });
    results.copy(child.stdout, output);
    durations.read(child.stdout);
    results.copy(child.stderr, output);
    const end = (signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch {
        // The group has ended already.
      }
    };
    const onSignal = () => {
      end("SIGTERM");
      setTimeout(() => end("SIGKILL"), 5000).unref();
      interrupted = true;
    };
    const endWatch = watchLauncher(onSignal);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, onSignal);
    child.on("error", (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(1);
    });
    child.on("exit", (code) => {
      endWatch();
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.off(signal, onSignal);
      end("SIGKILL");
      const done = () => resolve(code ?? 1);
      // Its last lines may still be on their way. A process that left the group may hold the pipe for ever.
      child.on("close", done);
      setTimeout(done, 2000).unref();
    });
  });
}

/** Prints each step as a whole: the first one while it runs, the others after it. */
async function runGroup(group) {
  const running = group.map(async ([name, command, args], index) => {
    const kept = [];
    if (index === 0) console.log(`\n── ${name}`);
    const startedAt = Date.now();
    const code = await run(
      command,
      args,
      index === 0 ? process.stdout : { write: (chunk) => kept.push(chunk) },
    );
    return { name, code, seconds: (Date.now() - startedAt) / 1000, kept };
  });
  for (const [index, step] of running.entries()) {
    const { name, code, seconds, kept } = await step;
    if (index > 0) process.stdout.write(`\n── ${name}\n${Buffer.concat(kept)}`);
    const isPassed = code === 0 && !interrupted;
    if (isPassed) passed += 1;
    else failed.push(name);
    console.log(`── ${name}: ${isPassed ? "passed" : "FAILED"} in ${seconds.toFixed(1)} s`);
  }
}

const browser = findChromium();
const servers = findTestServers();
const results = collectResults();
const durations = collectDurations();
let interrupted = false;
const failed = [];
let passed = 0;
for (const group of chosenSteps()) {
  if (interrupted) break;
  await runGroup(group);
}
// Tests that were skipped must not look as if they had passed.
for (const line of results.skipped()) console.log(`\n${line}`);
if (options.includes("--slowest")) console.log(`\n${durations.slowest().join("\n")}`);
if (results.failed().length > 0) console.log(`\n${results.failed().join("\n")}`);
if (failed.length > 0) console.log(`\nFailed: ${failed.join(", ")}`);
console.log(`\n${passed} passed, ${failed.length} failed`);
process.exitCode = interrupted ? 130 : failed.length > 0 ? 1 : 0;

function chosenSteps() {
  const chosen = [
    ...(options.includes("--servers") ? suitesOnServers : []),
    ...(options.includes("--histories") ? histories : []),
  ];
  return chosen.length > 0 ? chosen : everything;
}

/** As apps/console/test/browser.ts finds it: what was skipped without one must not count as done once there is one. */
function findChromium() {
  const usualPlaces = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const { CHROMIUM } = process.env;
  return (CHROMIUM ? [CHROMIUM] : usualPlaces).find((path) => existsSync(path));
}
