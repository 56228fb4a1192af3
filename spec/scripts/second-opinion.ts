// `pnpm --filter @product-search/spec second-opinion`: asks oasdiff about the same random changes as the check for breaking
// changes, and prints where the two differ. Fails if oasdiff finds an error between the released document and this one, or
// if our own check is wrong about more than one change in a hundred. Without oasdiff and without Go it says that it is skipped.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { createRandom, mutate } from "../test/mutations.ts";
import { compareDocuments } from "./breaking-changes.ts";
import { bundleLocation, readBundle, releasedLocation } from "./document.ts";

const version = "v1.37.0";

/** How grave a finding is to oasdiff: 3 is an error, 2 a warning. */
const errorLevel = 3;

const execute = promisify(execFile);

const { values } = parseArgs({
  options: {
    mutations: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
  },
});

const oasdiff = await findOasdiff();
if (oasdiff === undefined)
  console.log("SKIPPED: the second opinion on breaking changes needs oasdiff or Go.");
else await compare(oasdiff);

interface Verdicts {
  changes: number;
  breaking: number;
  missed: number;
  falseAlarms: number;
  oasdiffMissed: number;
  oasdiffAlarms: number;
}

async function compare(command: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "second-opinion-"));
  try {
    const released = await readBundle();
    const random = createRandom(Number(values.seed));
    const table: Record<string, Verdicts> = {};
    for (let number = 0; number < Number(values.mutations); number++) {
      const { name, document, breaks } = mutate(released, number, random);
      const ours = compareDocuments(released, document).changes.length > 0;
      const candidate = join(folder, "candidate.json");
      await writeFile(candidate, JSON.stringify(document));
      const theirs = (await ask(command, fileURLToPath(bundleLocation), candidate)).length > 0;
      table[name] ??= {
        changes: 0,
        breaking: 0,
        missed: 0,
        falseAlarms: 0,
        oasdiffMissed: 0,
        oasdiffAlarms: 0,
      };
      const row = table[name];
      row.changes += 1;
      row.breaking += Number(breaks);
      row.missed += Number(breaks && !ours);
      row.falseAlarms += Number(!breaks && ours);
      row.oasdiffMissed += Number(breaks && !theirs);
      row.oasdiffAlarms += Number(!breaks && theirs);
    }
    report(table);
    const findings = await ask(command, fileURLToPath(releasedLocation), fileURLToPath(bundleLocation));
    const errors = findings.filter((finding) => finding.level === errorLevel && !isNewCode(finding));
    for (const { id, text, operation = "", path = "" } of errors)
      console.log(`oasdiff finds since the last release: ${id} ${operation} ${path}: ${text}`);
    if (errors.length > 0) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function report(table: Record<string, Verdicts>): void {
  const rows = Object.entries(table).toSorted(([one], [other]) => one.localeCompare(other));
  const sum = (key: keyof Verdicts) => rows.reduce((total, [, row]) => total + row[key], 0);
  console.log(
    "change | made | breaking | we missed | we refused in vain | oasdiff missed | oasdiff refused in vain",
  );
  for (const [name, row] of rows) console.log([name, ...Object.values(row)].join(" | "));
  const total = sum("changes");
  const wrong = sum("missed") + sum("falseAlarms");
  const theirs = sum("oasdiffMissed") + sum("oasdiffAlarms");
  console.log(
    `Told apart: ${total - wrong} of ${total}; by oasdiff ${version}: ${total - theirs}. Seed ${values.seed}.`,
  );
  if (wrong > total / 100) process.exitCode = 1;
}

interface Finding {
  id: string;
  level: number;
  text: string;
  operation?: string;
  path?: string;
}

/** Of any response: the document says of `ErrorCode` that later versions may add values. oasdiff cannot read that. */
function isNewCode({ id, text }: Finding): boolean {
  return (
    id === "response-property-enum-value-added" && /to the `(?:[^`]*\/)?code` response property/.test(text)
  );
}

async function ask(command: string, before: string, after: string): Promise<Finding[]> {
  const options = ["--format", "json", "--flatten-allof"];
  const { stdout } = await execute(command, ["breaking", before, after, ...options], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

/** The command on this machine, or one of the pinned version that Go builds in the user's cache. */
async function findOasdiff(): Promise<string | undefined> {
  const folder = join(
    process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"),
    `product-search/oasdiff-${version}`,
  );
  for (const command of ["oasdiff", join(folder, "oasdiff")])
    if (await runs(command, "--version")) return command;
  if (!(await runs("go", "version"))) return undefined;
  await mkdir(folder, { recursive: true });
  await execute("go", ["install", `github.com/oasdiff/oasdiff@${version}`], {
    env: { ...process.env, GOBIN: folder },
  });
  return join(folder, "oasdiff");
}

async function runs(command: string, ...args: string[]): Promise<boolean> {
  try {
    await execute(command, args);
    return true;
  } catch {
    return false;
  }
}
