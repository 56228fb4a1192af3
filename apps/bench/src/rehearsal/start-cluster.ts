import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@product-search/testing/outbound-http/listen.ts";
import { startTcpProxy, type TcpProxy } from "@product-search/testing/servers/tcp-proxy.ts";
import { createNamespaces, type Host, type Link, type Network } from "./network/network.ts";
import { applyIndexTemplate, createOpenSearchParts } from "./parts/opensearch-parts.ts";
import { killAll, type Part, untilHealthy } from "./parts/part.ts";
import { createPostgresPart } from "./parts/postgres-part.ts";
import { connectTo, createServicePart, type ServicePart } from "./parts/service-part.ts";

const startTimeoutMs = 180_000;

export interface RehearsedCluster {
  folder: string;
  parts: Part[];
  nodes: ServicePart[];
  network: Network;
  /** Of PostgreSQL, by an address that is never cut. */
  databaseUrl: string;
  /** Settings for commands. They lose the servers that are cut off. */
  commandEnvironment: Record<string, string>;
  /** Ends all processes and removes the folder, except for the logs if they are wanted. */
  close(keep?: "logs"): Promise<void>;
}

export interface ClusterSettings {
  serviceNodes: number;
  searchNodes: number;
  /** On the loopback interface: then nothing can be cut off. */
  isDirect?: boolean;
  environment: Record<string, string>;
  report(line: string): void;
  signal: AbortSignal;
}

/** PostgreSQL, OpenSearch nodes and service nodes, all in a new folder and on free ports. */
export async function startCluster(settings: ClusterSettings): Promise<RehearsedCluster> {
  const { signal } = settings;
  const folder = mkdtempSync(join(tmpdir(), "rehearse-cluster-"));
  // PostgreSQL runs as another user, and must reach its folder inside.
  chmodSync(folder, 0o711);
  const closing: (() => Promise<void>)[] = [];
  const close = async (keep?: "logs") => {
    await killAll();
    await Promise.all(closing.map((end) => end()));
    if (keep === "logs") removeAllButLogs(folder);
    else rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { ...(await startParts(folder, settings, closing)), folder, close };
  } catch (error) {
    await close(signal.aborted ? undefined : "logs");
    throw error;
  }
}

function removeAllButLogs(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(".log")) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

async function startParts(
  folder: string,
  { serviceNodes, searchNodes, isDirect, environment, report, signal }: ClusterSettings,
  closing: (() => Promise<void>)[],
): Promise<Omit<RehearsedCluster, "folder" | "close">> {
  const [postgresPort = 0, ...ports] = await freePorts(1 + 2 * searchNodes + serviceNodes);
  const network = isDirect ? createLoopback() : chooseNetwork(report);
  closing.push(network.close);
  const postgres = createPostgresPart(folder, network.addHost(), postgresPort, report);
  const http = ports.splice(0, searchNodes);
  const transport = ports.splice(0, searchNodes);
  const opensearch = createOpenSearchParts(folder, network, { http, transport }, report);
  await startAll([postgres, ...opensearch], { report, signal, folder });
  if (opensearch[0]) await applyIndexTemplate(opensearch[0]);
  const servers = { postgres, opensearch };
  const nodes: ServicePart[] = [];
  for (const [index, port] of ports.entries()) {
    const host = network.addHost();
    const settings = { ...environment, ...(await connectTo(servers, network, host)) };
    nodes.push(createServicePart(folder, `node-${index + 1}`, { host, port }, settings));
  }
  await startAll(nodes, { report, signal, folder });
  const connected = await connectTo(servers, network);
  return {
    parts: [postgres, ...opensearch, ...nodes],
    nodes,
    databaseUrl: postgres.url,
    network,
    commandEnvironment: {
      ...environment,
      ...connected,
      DATA_DIR: join(folder, "commands"),
      LOG_LEVEL: "warn",
    },
  };
}

async function startAll(
  parts: readonly Part[],
  { report, signal, folder }: Pick<ClusterSettings, "report" | "signal"> & { folder: string },
): Promise<void> {
  report(`Starting ${parts.map(({ name }) => name).join(", ")} …`);
  for (const part of parts) part.process.start();
  const healthy = await Promise.all(parts.map((part) => untilHealthy(part, startTimeoutMs, signal)));
  signal.throwIfAborted();
  const failed = parts.filter((_, at) => !healthy[at]).map(({ name }) => join(folder, `${name}.log`));
  if (failed.length > 0) throw new Error(`Not ready in time; see ${failed.join(", ")}.`);
}

/** Real networks where this process may create them, which takes root and the program `ip`. */
function chooseNetwork(report: (line: string) => void): Network {
  try {
    return createNamespaces();
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).trim().split("\n").slice(-1);
    report(`Network namespaces cannot be used: ${reason}`);
    return createProxies();
  }
}

/** All different. Servers keep theirs when they are started again. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

const loopback = "127.0.0.1";

function createLoopbackHost(): Host {
  return {
    address: loopback,
    peerAddress: loopback,
    links: [],
    command: (command, args) => [command, [...args]],
  };
}

/** All parts on the loopback interface, where nothing can be cut off. */
function createLoopback(): Network {
  return {
    ownAddress: loopback,
    addHost: createLoopbackHost,
    connect: async ({ port }) => `${loopback}:${port}`,
    close: async () => {},
  };
}

/** All parts on the loopback interface, with a proxy between each client and each server. */
function createProxies(): Network {
  const proxies: TcpProxy[] = [];
  return {
    ...createLoopback(),
    async connect({ host, port }, client) {
      const proxy = await startTcpProxy(port, loopback);
      proxies.push(proxy);
      const link = countCuts(proxy);
      host.links.push(link);
      client?.links.push(link);
      return `${loopback}:${proxy.port}`;
    },
    close: async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))),
  };
}

/** A link belongs to the parts on both of its sides. When both are cut off, it works again when both faults have ended. */
function countCuts(proxy: TcpProxy): Link {
  let cuts = 0;
  return {
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
