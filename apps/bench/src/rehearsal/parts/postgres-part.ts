import { mkdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import {
  createPostgresData,
  installPostgres,
  postgresUser,
  unprivileged,
} from "../../../../../scripts/servers/postgres.ts";
import type { Part } from "./part.ts";
import { createServerProcess } from "./server-process.ts";

export interface PostgresPart extends Part {
  port: number;
  url: string;
}

export function createPostgresPart(root: string, port: number, report: (line: string) => void): PostgresPart {
  const programs = installPostgres(report);
  const folder = join(root, "postgres");
  const data = join(folder, "data");
  mkdirSync(folder);
  createPostgresData(programs, folder, data);
  const settings = [
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    "fsync=on",
    "max_connections=200",
  ].flatMap((setting) => ["-c", setting]);
  const [command, args] = unprivileged(join(programs, "postgres"), ["-D", data, ...settings]);
  const url = `postgres://${postgresUser}@127.0.0.1:${port}/postgres`;
  return {
    name: "postgres",
    kind: "postgres",
    port,
    url,
    process: createServerProcess({ command, args, cwd: folder, logFile: join(root, "postgres.log") }),
    // A "fast shutdown", which does not wait for clients to disconnect.
    stopSignal: "SIGINT",
    links: [],
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
