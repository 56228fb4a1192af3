// `pnpm fuzz-api`: Schemathesis sends generated requests to every operation and checks every response against the document.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findPython, installSchemathesis } from "./python-environment.ts";
import { addReach, describeReach, type Reach, withoutSuccess } from "./reach.ts";
import { type FuzzedService, startService } from "./service.ts";

const usage = `Usage: pnpm fuzz-api [--examples 200] [--minutes 3] [--seed NUMBER] [--paths REGEX]

Starts the service on a small sample catalog and lets Schemathesis test it: every operation, every check, and sequences of
calls along the document's links. Accepted findings are in scripts/fuzz-api/accepted-findings.json.
  --examples N   generated requests for each operation, and sequences of calls
  --minutes N    when to stop, finished or not
  --seed N       repeats a run; printed by each
  --paths REGEX  only operations whose path matches, such as '^/webhooks'`;

/** An account has at most 100 webhooks, and a sequence may create several. */
const sequencesPerAccount = 30;
const document = join(import.meta.dirname, "../../spec/dist/openapi.json");

const { values } = parseArgs({
  options: {
    examples: { type: "string", default: "200" },
    minutes: { type: "string", default: "3" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    paths: { type: "string", default: "" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(usage);
else await main();

async function main(): Promise<void> {
  const python = await findPython();
  if (!python) {
    console.log("SKIPPED: pnpm fuzz-api needs Python 3.10 or later with venv, and there is none.");
    return;
  }
  const schemathesis = await installSchemathesis(python).catch((error: unknown) => {
    console.log(
      `SKIPPED: Schemathesis could not be installed: ${error instanceof Error ? error.message : error}`,
    );
  });
  if (schemathesis === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), "fuzz-api-reports-"));
  const service = await startService();
  try {
    await fuzz({ schemathesis, folder, service });
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Session {
  schemathesis: string;
  folder: string;
  service: FuzzedService;
}

async function fuzz(session: Session): Promise<void> {
  const endsAt = Date.now() + Number(values.minutes) * 60_000;
  const examples = Number(values.examples);
  const operations = await readDocument();
  const reached = new Map<string, Reach>(
    operations.map(({ name }) => [name, { cases: 0, statuses: new Map() }]),
  );
  const runs = [{ phases: "examples,coverage,fuzzing", examples }];
  // Schemathesis takes it for a failure when no operation has a link to another one.
  const hasLinks = operations.some(({ isLinked }) => isLinked);
  if (!hasLinks) console.log("No operation with such a path has a link to another: no sequences of calls.");
  for (let left = hasLinks ? examples : 0; left > 0; left -= sequencesPerAccount) {
    runs.push({ phases: "stateful", examples: Math.min(left, sequencesPerAccount) });
  }
  let failures = 0;
  let finished = 0;
  for (const [index, run] of runs.entries()) {
    if (Date.now() >= endsAt) break;
    const { code, isComplete, eventsFile } = await runSchemathesis(session, { ...run, index, endsAt });
    if (eventsFile !== undefined) await addReach(reached, eventsFile);
    if (code !== 0 && isComplete) failures += 1;
    if (isComplete) finished += 1;
  }
  report({ reached, failures, finished, runs: runs.length, service: session.service });
}

interface Run {
  phases: string;
  examples: number;
  index: number;
  endsAt: number;
}

async function runSchemathesis({ schemathesis, folder, service }: Session, run: Run) {
  const eventsFile = join(folder, `events-${run.index}.ndjson`);
  const { token, existing } = await service.createAccount();
  const args = ["--config-file", join(import.meta.dirname, "schemathesis.toml"), "run", document];
  args.push("--url", service.baseUrl, "-H", `Authorization: Bearer ${token}`, "--phases", run.phases);
  args.push("--max-examples", `${run.examples}`, "--seed", `${Number(values.seed) + run.index}`);
  args.push("--report-ndjson-path", eventsFile);
  if (values.paths !== "") args.push("--include-path-regex", values.paths);
  const env = {
    ...process.env,
    SCHEMATHESIS_HOOKS: join(import.meta.dirname, "hooks.py"),
    FUZZ_EXISTING_THINGS: JSON.stringify(existing),
  };
  const child = spawn(schemathesis, args, { cwd: folder, env, stdio: ["ignore", "inherit", "inherit"] });
  let isComplete = true;
  const timer = setTimeout(() => {
    isComplete = false;
    child.kill("SIGINT");
  }, run.endsAt - Date.now());
  const [code] = await once(child, "exit");
  clearTimeout(timer);
  const started = existsSync(eventsFile);
  // The time may end while it starts.
  if (!started && isComplete) throw new Error("Schemathesis did not start: its own words are above.");
  return { code, isComplete, eventsFile: started ? eventsFile : undefined };
}

interface Operation {
  operationId: string;
  responses: Record<string, { links?: Record<string, { operationId: string }> }>;
}

/** The operations with such a path, and whether one of their responses links to another of them. */
async function readDocument(): Promise<{ name: string; isLinked: boolean }[]> {
  const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
    await readFile(document, "utf8"),
  );
  const wanted = new RegExp(values.paths);
  const all = Object.entries(paths)
    .filter(([path]) => wanted.test(path))
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
    );
  const names = new Set(all.map(({ operation }) => operation.operationId));
  return all.map(({ path, method, operation }) => ({
    name: `${method.toUpperCase()} ${path}`,
    isLinked: Object.values(operation.responses)
      .flatMap(({ links = {} }) => Object.values(links))
      .some((link) => names.has(link.operationId)),
  }));
}

interface Outcome {
  reached: Map<string, Reach>;
  failures: number;
  finished: number;
  runs: number;
  service: FuzzedService;
}

function report({ reached, failures, finished, runs, service }: Outcome): void {
  console.log(
    `\nRequests to each operation, and the statuses of the responses:\n${describeReach(reached)}\n`,
  );
  const faults: string[] = [];
  if (failures > 0) faults.push("Schemathesis found what is listed above.");
  const unreached = withoutSuccess(reached);
  const isFinished = finished === runs;
  const noSuccess = `No successful response from: ${unreached.join(", ")}.`;
  if (unreached.length > 0 && isFinished) faults.push(noSuccess);
  if (!service.isRunning()) faults.push(`The service ended:\n${service.output()}`);
  for (const fault of faults) console.error(fault);
  const paths = values.paths === "" ? "" : ` --paths '${values.paths}'`;
  const limits = `--examples ${values.examples} --minutes ${values.minutes}`;
  console.log(`Seed ${values.seed}. To repeat: pnpm fuzz-api ${limits} --seed ${values.seed}${paths}`);
  if (!isFinished) {
    console.log(`STOPPED after ${values.minutes} minutes: ${finished} of ${runs} runs were finished.`);
    if (unreached.length > 0) console.log(noSuccess);
  }
  if (faults.length > 0) process.exitCode = 1;
}
