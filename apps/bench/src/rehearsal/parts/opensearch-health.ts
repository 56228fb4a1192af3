import { fieldsOf, listOf } from "../json-fields.ts";

const timeoutMs = 2_000;
const longestDetails = 600;

async function get(url: string, path: string): Promise<unknown> {
  const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(timeoutMs) });
  return response.json();
}

interface ClusterHealth {
  nodes: number;
  status: string;
  pendingTasks: number;
}

export async function readClusterHealth(url: string): Promise<ClusterHealth> {
  const health = fieldsOf(await get(url, "/_cluster/health"));
  return {
    nodes: Number(health.number_of_nodes),
    status: String(health.status),
    pendingTasks: Number(health.number_of_pending_tasks),
  };
}

/** What this node knows: how many nodes there are, which shards do not serve, and why the first of them is not allocated. */
export async function describeShards(url: string, nodes: number): Promise<string> {
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
