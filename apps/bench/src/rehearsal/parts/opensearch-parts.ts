import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { installOpenSearch, searchServerArguments } from "../../../../../scripts/servers/opensearch.ts";
import { fieldsOf, listOf } from "../figures.ts";
import { addressesOf, type Network } from "../network/network.ts";
import { createServerProcess, type Part } from "./part.ts";

const timeoutMs = 2_000;
const longestDetails = 600;

export interface OpenSearchPart extends Part {
  port: number;
  /** Never cut. */
  url: string;
}

export interface OpenSearchPorts {
  http: readonly number[];
  transport: readonly number[];
}

/**
 * As recommended to operators: a search whose coordinating node hung keeps its context, by default for five minutes. As
 * long, the copy of the shard cannot be closed, and no new one can be made on that node.
 */
const contextExpiry = { "search.default_keep_alive": "10s", "search.keep_alive_interval": "5s" };

/**
 * As recommended to operators: writes wait for a node that hangs until it has been removed from the cluster, with the default settings
 * for 30 seconds. A new manager first waits as long for a reply of the former one, and removes it only then.
 */
const faultDetection = {
  ...Object.fromEntries(
    ["follower_check", "leader_check"].flatMap((check) => [
      [`cluster.fault_detection.${check}.interval`, "200ms"],
      [`cluster.fault_detection.${check}.timeout`, "1s"],
      [`cluster.fault_detection.${check}.retry_count`, 1],
    ]),
  ),
  "cluster.publish.timeout": "1s",
};

/** OpenSearch waits a minute for a node that left before it makes new copies, in some cases although the node has returned. */
const indexTemplate = {
  index_patterns: ["product-search-*"],
  template: { settings: { "index.unassigned.node_left.delayed_timeout": "2s" } },
};

export async function applyIndexTemplate({ url }: Pick<OpenSearchPart, "url">): Promise<void> {
  const response = await fetch(`${url}/_index_template/rehearsal`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(indexTemplate),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`OpenSearch refused the template of indexes: ${await response.text()}`);
}

export function createOpenSearchParts(
  root: string,
  network: Network,
  { http, transport }: OpenSearchPorts,
  report: (line: string) => void,
): OpenSearchPart[] {
  if (http.length === 0) return [];
  const programs = installOpenSearch(report);
  const names = http.map((_, index) => `opensearch-${index + 1}`);
  const hosts = names.map(() => network.addHost());
  const members = hosts.map(({ peerAddress }, index) => `${peerAddress}:${transport[index]}`);
  const urls = hosts.map(({ address }, index) => `http://${address}:${http[index]}`);
  return hosts.map((host, index) => {
    const name = names[index] ?? "";
    const port = http[index] ?? 0;
    const home = join(root, name);
    mkdirSync(join(home, "config"), { recursive: true });
    const args = searchServerArguments(programs, {
      name,
      home,
      httpPort: port,
      transportPort: transport[index] ?? 0,
      address: host.peerAddress,
      members,
      // Ignored by nodes that have been members of a cluster.
      firstMembers: names,
      settings: { ...faultDetection, ...contextExpiry, "http.bind_host": addressesOf(host).join(",") },
    });
    const [command, commandArgs] = host.command("java", args);
    const logFile = join(root, `${name}.log`);
    const url = urls[index] ?? "";
    return {
      name,
      kind: "opensearch",
      port,
      url,
      process: createServerProcess({ command, args: commandArgs, cwd: home, logFile }),
      stopSignal: "SIGTERM",
      host,
      isHealthy: () => haveAllCopies(urls),
      describe: () => describeShards(url, names.length),
    };
  });
}

/**
 * All nodes are members, and every shard has its copies: another node may fail now. Not while tasks wait: the next one may
 * remove a node that did not respond for a while. All nodes must say so: one that was paused believes for a moment what it
 * knew before.
 */
async function haveAllCopies(urls: readonly string[]): Promise<boolean> {
  const healths = await Promise.all(urls.map(readClusterHealth));
  return healths.every(
    ({ nodes, status, pendingTasks }) => nodes === urls.length && status === "green" && pendingTasks === 0,
  );
}

async function get(url: string, path: string): Promise<unknown> {
  const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(timeoutMs) });
  return response.json();
}

interface ClusterHealth {
  nodes: number;
  status: string;
  pendingTasks: number;
}

async function readClusterHealth(url: string): Promise<ClusterHealth> {
  const health = fieldsOf(await get(url, "/_cluster/health"));
  return {
    nodes: Number(health.number_of_nodes),
    status: String(health.status),
    pendingTasks: Number(health.number_of_pending_tasks),
  };
}

/** What this node knows: how many nodes there are, which shards do not serve, and why the first of them is not allocated. */
async function describeShards(url: string, nodes: number): Promise<string> {
  const health = await readClusterHealth(url);
  const shards = listOf(await get(url, "/_cat/shards?format=json&h=index,shard,prirep,state,node"));
  const waiting = shards.filter(({ state }) => state !== "STARTED");
  const names = waiting.map(
    ({ index, shard, prirep, state, node }) =>
      `${index} ${shard} ${prirep} ${state}${node ? ` on ${node}` : ""}`,
  );
  const reason = waiting.length > 0 ? describeAllocation(await get(url, "/_cluster/allocation/explain")) : "";
  return [`${health.nodes} of ${nodes} nodes, ${health.status}`, ...names, ...(reason ? [reason] : [])].join(
    "; ",
  );
}

/** Empty when every shard is allocated. */
function describeAllocation(explanation: unknown): string {
  const { index, shard, unassigned_info, allocate_explanation, node_allocation_decisions } =
    fieldsOf(explanation);
  if (index === undefined) return "";
  const { reason, failed_allocation_attempts, details } = fieldsOf(unassigned_info);
  const decisions = listOf(node_allocation_decisions).flatMap(({ node_name, deciders }) =>
    listOf(deciders).map(({ explanation: text }) => `${node_name}: ${text}`),
  );
  const lines = [
    `${index} ${shard}: ${reason}, ${failed_allocation_attempts ?? 0} failed attempts`,
    String(details ?? "").slice(0, longestDetails),
    String(allocate_explanation ?? ""),
    ...decisions.map((text) => text.slice(0, longestDetails)),
  ];
  return lines.filter((line) => line !== "").join("; ");
}
