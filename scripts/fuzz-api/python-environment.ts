import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const requirements = join(import.meta.dirname, "requirements.txt");
const checkVersion = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";

/** The first Python 3.10 or later that can create virtual environments; undefined if there is none. */
export async function findPython(): Promise<string | undefined> {
  for (const name of ["python3", "python"]) {
    const isFit = await execute(name, ["-c", checkVersion]).then(
      () => true,
      () => false,
    );
    if (isFit) return name;
  }
  return undefined;
}

/** The Schemathesis command. It is installed once per requirements.txt, in a folder of the user's cache. */
export async function installSchemathesis(python: string): Promise<string> {
  const version = createHash("sha256")
    .update(await readFile(requirements))
    .digest("hex")
    .slice(0, 12);
  const caches = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "product-search");
  const folder = join(caches, `schemathesis-${version}`);
  const command = join(folder, "bin/schemathesis");
  if (existsSync(join(folder, "complete"))) return command;
  console.log("Installing Schemathesis …");
  await rm(folder, { recursive: true, force: true });
  await mkdir(caches, { recursive: true });
  await execute(python, ["-m", "venv", folder]);
  const installing = [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--no-deps",
    "-r",
    requirements,
  ];
  await execute(join(folder, "bin/python"), installing, { maxBuffer: 16 * 1024 * 1024 });
  await mkdir(join(folder, "complete"));
  return command;
}
