import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { runningPid, startInBackground, stopProcess, waitUntil } from "./background-process.ts";
import { checkFolder } from "./checksums.ts";
import { installFolder, stateFolder } from "./folders.ts";
import { run, ServersError } from "./run.ts";

const version = "2.19.1.0";
const firstHttpPort = 19_200;
const firstTransportPort = firstHttpPort + 100;
const heapMegabytes = 512;
const maxNodes = 3;

const files = (node: number) => {
  const folder = join(stateFolder(), `opensearch-${node}`);
  return { folder, logFile: join(folder, "server.log"), pidFile: join(folder, "server.pid") };
};

const nodeNumbers = Array.from({ length: maxNodes }, (_, index) => index + 1);
const httpPort = (node: number) => firstHttpPort + node - 1;
const transportPort = (node: number) => firstTransportPort + node - 1;

export function runningSearchNodes(): number[] {
  return nodeNumbers.filter((node) => runningPid(files(node).pidFile) !== undefined);
}

export function searchUrl(nodes: readonly number[]): string {
  return nodes.map((node) => `http://127.0.0.1:${httpPort(node)}`).join(",");
}

export async function startOpenSearch(nodes: number, report: (line: string) => void): Promise<void> {
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > maxNodes) {
    throw new ServersError(`--search-nodes ${nodes}: write a whole number from 1 to ${maxNodes}.`);
  }
  const programs = installOpenSearch(report);
  const wanted = nodeNumbers.slice(0, nodes);
  const missing = wanted.filter((node) => runningPid(files(node).pidFile) === undefined);
  if (missing.length > 0)
    report(`Starting ${missing.length} OpenSearch node${missing.length === 1 ? "" : "s"} …`);
  if (missing.length === wanted.length) discardOtherCluster(nodes, report);
  writeFileSync(sizeFile(), String(nodes));
  const isNewCluster = wanted.every((node) => !existsSync(join(files(node).folder, "data")));
  for (const node of missing) startNode(programs, { node, members: wanted, isNewCluster });
  for (const node of wanted) {
    const { logFile, pidFile } = files(node);
    await waitUntil(() => hasJoined(node, nodes), {
      what: `OpenSearch node ${node}`,
      timeoutMs: 180_000,
      pidFile,
      logFile,
    });
  }
}

export async function stopOpenSearch(): Promise<void> {
  await Promise.all(nodeNumbers.map((node) => stopProcess(files(node).pidFile, "SIGTERM", 20_000)));
}

const sizeFile = () => join(stateFolder(), "opensearch-nodes");

/**
 * The members of a cluster are fixed: with fewer, it would wait for the others. Its data is derived from the
 * database.
 */
function discardOtherCluster(nodes: number, report: (line: string) => void): void {
  const folders = nodeNumbers.map((node) => join(files(node).folder, "data")).filter(existsSync);
  const isSame = existsSync(sizeFile()) && readFileSync(sizeFile(), "utf8") === String(nodes);
  if (isSame || folders.length === 0) return;
  report("The last cluster had another number of nodes: starting an empty one.");
  for (const folder of folders) rmSync(folder, { recursive: true });
}

interface NodePlan {
  node: number;
  members: readonly number[];
  /** Only at the first start may the nodes elect a manager; later, new nodes would form a second cluster. */
  isNewCluster: boolean;
}

function startNode(programs: string, { node, members, isNewCluster }: NodePlan): void {
  const { folder, logFile, pidFile } = files(node);
  mkdirSync(join(folder, "config"), { recursive: true });
  const args = searchServerArguments(programs, {
    name: `os${node}`,
    home: folder,
    httpPort: httpPort(node),
    transportPort: transportPort(node),
    members: members.map((member) => `127.0.0.1:${transportPort(member)}`),
    ...(isNewCluster && { firstMembers: members.map((member) => `os${member}`) }),
  });
  startInBackground("java", args, { pidFile, logFile });
}

export interface SearchServer {
  name: string;
  home: string;
  httpPort: number;
  transportPort: number;
  /** Where it listens; loopback by default. */
  address?: string;
  /** The addresses of all nodes, with their transport ports. */
  members: readonly string[];
  /** The names of all nodes, for the first start of a new cluster only. */
  firstMembers?: readonly string[];
  settings?: Readonly<Record<string, string | number>>;
}

/** The arguments for `java`. The folder `config` must exist in `home`. */
export function searchServerArguments(programs: string, server: SearchServer): string[] {
  const settings = {
    "cluster.name": "product-search",
    "node.name": server.name,
    "node.roles": "cluster_manager,data,ingest",
    "path.home": server.home,
    "network.host": server.address ?? "127.0.0.1",
    "http.port": server.httpPort,
    "transport.port": server.transportPort,
    "discovery.seed_hosts": server.members.join(","),
    ...(server.firstMembers && { "cluster.initial_cluster_manager_nodes": server.firstMembers.join(",") }),
    // The disk of a development machine is rarely empty; with the default limits, OpenSearch would refuse writes.
    "cluster.routing.allocation.disk.threshold_enabled": false,
    "node.processors": availableParallelism(),
    // Whether memory is left is asked before this collector frees any: a nearly full heap of garbage would refuse searches.
    "indices.breaker.total.use_real_memory": false,
    ...server.settings,
  };
  return [
    `-Xms${heapMegabytes}m`,
    `-Xmx${heapMegabytes}m`,
    "-XX:+UseSerialGC",
    // Halves the processor time of a start. The second compiler pays off for servers that run for long.
    "-XX:TieredStopAtLevel=1",
    "-Djava.awt.headless=true",
    // Tells which nodes leave and join the cluster. By default only errors are logged.
    "-Dorg.apache.logging.log4j.level=INFO",
    "-cp",
    [join(programs, "classes"), join(programs, "lib", "*")].join(":"),
    "SearchServer",
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
  ];
}

async function hasJoined(node: number, nodes: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${httpPort(node)}/_cluster/health`, {
    signal: AbortSignal.timeout(2000),
  });
  const health: unknown = await response.json();
  return (
    typeof health === "object" &&
    health !== null &&
    "number_of_nodes" in health &&
    Number(health.number_of_nodes) >= nodes
  );
}

/** Returns the folder with `lib` (every jar) and `classes` (the compiled launcher). */
export function installOpenSearch(report: (line: string) => void): string {
  const folder = join(installFolder(), `opensearch-${version}`);
  if (existsSync(join(folder, "classes"))) return folder;
  requireTools();
  report(`Installing OpenSearch ${version} (60 MB) …`);
  const unpacked = `${folder}.${process.pid}`;
  const lib = join(unpacked, "lib");
  mkdirSync(lib, { recursive: true });
  try {
    const here = import.meta.dirname;
    const maven = ["-q", "-B", "-f", join(here, "pom.xml")];
    run("mvn", [...maven, "dependency:copy-dependencies", `-DoutputDirectory=${lib}`]);
    const plugin = `org.opensearch.plugin:opensearch-knn:${version}:zip`;
    run("mvn", [...maven, "dependency:get", `-Dartifact=${plugin}`, "-Dtransitive=false"]);
    run("mvn", [...maven, "dependency:copy", `-Dartifact=${plugin}`, `-DoutputDirectory=${unpacked}`]);
    const archive = readdirSync(unpacked).find((name) => name.endsWith(".zip")) ?? "";
    // `jar` extracts zip files, and is part of the compiler, which is needed anyway.
    const plugins = join(unpacked, "plugin");
    mkdirSync(plugins);
    run("jar", ["-xf", join(unpacked, archive)], { cwd: plugins });
    for (const jar of readdirSync(plugins).filter((name) => name.endsWith(".jar"))) {
      renameSync(join(plugins, jar), join(lib, jar));
    }
    rmSync(plugins, { recursive: true });
    rmSync(join(unpacked, archive));
    checkFolder(lib, join(here, "opensearch.sha256"));
    const source = join(here, "SearchServer.java");
    run("javac", ["-cp", join(lib, "*"), "-d", join(unpacked, "classes"), source]);
    renameSync(unpacked, folder);
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
  return folder;
}

function requireTools(): void {
  for (const [tool, args] of [
    ["java", ["-version"]],
    ["javac", ["-version"]],
    ["mvn", ["--version"]],
  ] as const) {
    try {
      run(tool, args);
    } catch (cause) {
      throw new ServersError(
        `OpenSearch needs ${tool}: install a JDK 17 or later and Maven, or set SEARCH_URL to a server of yours.`,
        { cause },
      );
    }
  }
}
