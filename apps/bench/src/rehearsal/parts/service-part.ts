import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startTcpProxy, type TcpProxy } from "@product-search/api/testing/servers/tcp-proxy.ts";
import type { OpenSearchPart } from "./opensearch-parts.ts";
import type { Part } from "./part.ts";
import type { PostgresPart } from "./postgres-part.ts";
import { createServerProcess } from "./server-process.ts";

export const commandLine = fileURLToPath(import.meta.resolve("@product-search/api/main.js"));

export interface ServicePart extends Part {
  url: string;
}

export interface Servers {
  postgres: PostgresPart;
  opensearch: readonly OpenSearchPart[];
}

/** How one client of the two servers reaches them: through a proxy for each of them, which can be cut. */
export interface Links {
  environment: Record<string, string>;
  proxies: TcpProxy[];
}

export async function createLinks({ postgres, opensearch }: Servers): Promise<Links> {
  const link = async (part: Part & { port: number }) => {
    const proxy = countCuts(await startTcpProxy(part.port, "127.0.0.1"));
    part.links.push(proxy);
    return proxy;
  };
  const toPostgres = await link(postgres);
  const toSearch = await Promise.all(opensearch.map(link));
  const databaseUrl = new URL(postgres.url);
  databaseUrl.port = String(toPostgres.port);
  return {
    environment: {
      DATABASE_URL: databaseUrl.href,
      SEARCH_URL: toSearch.map(({ port }) => `http://127.0.0.1:${port}`).join(","),
    },
    proxies: [toPostgres, ...toSearch],
  };
}

/** A link belongs to the parts on both of its sides. When both are cut off, it works again when both faults have ended. */
function countCuts(proxy: TcpProxy): TcpProxy {
  let cuts = 0;
  return {
    ...proxy,
    silence() {
      cuts += 1;
      proxy.silence();
    },
    restore() {
      cuts -= 1;
      if (cuts === 0) proxy.restore();
    },
  };
}

export function directLinks({ postgres, opensearch }: Servers): Links {
  const searchUrl = opensearch.map(({ port }) => `http://127.0.0.1:${port}`).join(",");
  // Without OpenSearch nodes, the indexes are embedded.
  const environment = { DATABASE_URL: postgres.url, ...(searchUrl && { SEARCH_URL: searchUrl }) };
  return { environment, proxies: [] };
}

export function createServicePart(
  root: string,
  name: string,
  port: number,
  links: Links,
  settings: Record<string, string>,
): ServicePart {
  const dataDir = join(root, name);
  mkdirSync(dataDir);
  const url = `http://127.0.0.1:${port}`;
  const own = { DATA_DIR: dataDir, PORT: String(port), THREADS: "1", LOG_LEVEL: "warn" };
  return {
    name,
    kind: "service",
    url,
    process: createServerProcess({
      command: process.execPath,
      args: [commandLine, "serve"],
      environment: { ...settings, ...links.environment, ...own },
      cwd: dataDir,
      logFile: join(root, `${name}.log`),
      // A node that is started while PostgreSQL is down ends with a message.
      restarts: true,
    }),
    stopSignal: "SIGTERM",
    links: links.proxies,
    isHealthy: async () => (await readyz(url)).ok,
    async describe() {
      const response = await readyz(url);
      return `/readyz: ${response.status} ${(await response.text()).slice(0, 500)}`;
    },
  };
}

const readyz = (url: string) => fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1000) });
