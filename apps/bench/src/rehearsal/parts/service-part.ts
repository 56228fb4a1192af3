import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Host, Network, ServerOnNetwork } from "../network/network.ts";
import type { OpenSearchPart } from "./opensearch-parts.ts";
import { createServerProcess, type Part } from "./part.ts";
import type { PostgresPart } from "./postgres-part.ts";

export const commandLine = fileURLToPath(import.meta.resolve("@product-search/api/main.js"));

export interface ServicePart extends Part {
  url: string;
}

export interface Servers {
  postgres: PostgresPart;
  opensearch: readonly OpenSearchPart[];
}

/** The settings with which one client reaches the servers: a node on the host, or a command. */
export async function connectTo(
  { postgres, opensearch }: Servers,
  network: Network,
  client?: Host,
): Promise<Record<string, string>> {
  const databaseUrl = new URL(postgres.url);
  databaseUrl.host = await network.connect(postgres, client);
  const search = await Promise.all(opensearch.map((server) => network.connect(server, client)));
  const searchUrl = search.map((address) => `http://${address}`).join(",");
  // Without OpenSearch nodes, the indexes are embedded.
  return { DATABASE_URL: databaseUrl.href, ...(searchUrl && { SEARCH_URL: searchUrl }) };
}

export function createServicePart(
  root: string,
  name: string,
  { host, port }: ServerOnNetwork,
  settings: Record<string, string>,
): ServicePart {
  const dataDir = join(root, name);
  mkdirSync(dataDir);
  const url = `http://${host.address}:${port}`;
  const own = { DATA_DIR: dataDir, HOST: host.address, PORT: String(port), THREADS: "1", LOG_LEVEL: "warn" };
  const [command, args] = host.command(process.execPath, [commandLine, "serve"]);
  return {
    name,
    kind: "service",
    url,
    process: createServerProcess({
      command,
      args,
      environment: { ...settings, ...own },
      cwd: dataDir,
      logFile: join(root, `${name}.log`),
      // A node that is started while PostgreSQL is down ends with a message.
      restarts: true,
    }),
    stopSignal: "SIGTERM",
    host,
    isHealthy: async () => (await readyz(url)).ok,
    async describe() {
      const response = await readyz(url);
      return `/readyz: ${response.status} ${(await response.text()).slice(0, 500)}`;
    },
  };
}

const readyz = (url: string) => fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1000) });
