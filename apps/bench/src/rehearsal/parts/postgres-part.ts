import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import {
  createPostgresData,
  installPostgres,
  postgresUser,
  unprivileged,
} from "../../../../../scripts/servers/postgres.ts";
import { addressesOf, type Host } from "../network/network.ts";
import { createServerProcess, type Part } from "./part.ts";

export interface PostgresPart extends Part {
  port: number;
  /** Never cut. */
  url: string;
}

export function createPostgresPart(
  root: string,
  host: Host,
  port: number,
  report: (line: string) => void,
): PostgresPart {
  const programs = installPostgres(report);
  const folder = join(root, "postgres");
  const data = join(folder, "data");
  mkdirSync(folder);
  createPostgresData(programs, folder, data);
  appendFileSync(join(data, "pg_hba.conf"), "host all all samenet trust\n");
  const settings = [
    `port=${port}`,
    `listen_addresses=${addressesOf(host)}`,
    `unix_socket_directories=${folder}`,
    "fsync=on",
    "max_connections=200",
  ].flatMap((setting) => ["-c", setting]);
  const [command, args] = host.command(
    ...unprivileged(join(programs, "postgres"), ["-D", data, ...settings]),
  );
  const url = `postgres://${postgresUser}@${host.address}:${port}/postgres`;
  return {
    name: "postgres",
    kind: "postgres",
    port,
    url,
    process: createServerProcess({ command, args, cwd: folder, logFile: join(root, "postgres.log") }),
    // A "fast shutdown", which does not wait for clients to disconnect.
    stopSignal: "SIGINT",
    host,
    isHealthy: () => canQuery(url),
    describe: async () => ((await canQuery(url)) ? "responds to queries" : "does not respond to queries"),
  };
}

async function canQuery(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000, query_timeout: 1000 });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } finally {
    await client.end().catch(() => {});
  }
}
