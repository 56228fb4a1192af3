// `pnpm --filter @product-search/spec second-opinion`: asks oasdiff what breaks partners between the released document and
// this one, and fails if it finds an error. Without oasdiff and without Go it says that it is skipped.
import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundleLocation, releasedLocation } from "./document.ts";

const version = "v1.37.0";

/** How grave a finding is to oasdiff: 3 is an error, 2 a warning. */
const errorLevel = 3;

const execute = promisify(execFile);

const oasdiff = await findOasdiff();
if (oasdiff === undefined)
  console.log("SKIPPED: the second opinion on breaking changes needs oasdiff or Go.");
else await compare(oasdiff);

async function compare(command: string): Promise<void> {
  const findings = await ask(command, fileURLToPath(releasedLocation), fileURLToPath(bundleLocation));
  const errors = findings.filter((finding) => finding.level === errorLevel && !isNewCode(finding));
  for (const { id, text, operation = "", path = "" } of errors)
    console.log(`oasdiff finds since the last release: ${id} ${operation} ${path}: ${text}`);
  if (errors.length > 0) process.exitCode = 1;
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
