import { type ClusterClient, createClusterClient } from "../rehearsal/load/cluster-client.ts";
import { createSearchToken } from "../rehearsal/load/imports.ts";
import type { Part } from "../rehearsal/parts/part.ts";
import type { ServicePart } from "../rehearsal/parts/service-part.ts";
import { type RehearsedCluster, startCluster } from "../rehearsal/start-cluster.ts";

export interface BenchClusterSettings {
  serviceNodes: number;
  /** 0 for embedded indexes. */
  searchNodes: number;
  products: number;
  seconds: number;
  report(line: string): void;
  signal: AbortSignal;
}

export interface BenchCluster extends Omit<RehearsedCluster, "nodes" | "parts"> {
  client: ClusterClient;
  signal: AbortSignal;
  /** How many feeds were written. */
  feeds: number;
  /** Those that run. */
  nodes(): ServicePart[];
  parts(): Part[];
  /** Ends service nodes until so many are left. */
  keepNodes(count: number): Promise<void>;
}

export async function startBenchCluster(settings: BenchClusterSettings): Promise<BenchCluster> {
  const environment = {
    SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    TOKEN_RATE_LIMIT: "0",
    TRIAL_RATE_LIMIT: "0",
  };
  const cluster = await startCluster({ ...settings, environment, isDirect: true });
  let token = "";
  const client = createClusterClient(cluster.nodes, () => token);
  let left = settings.serviceNodes;
  const close = async () => {
    client.stop();
    await cluster.close();
  };
  try {
    token = await createSearchToken(cluster.commandEnvironment);
  } catch (error) {
    await close();
    throw error;
  }
  const nodes = () => cluster.nodes.slice(0, left);
  return {
    ...cluster,
    client,
    close,
    signal: settings.signal,
    feeds: 0,
    nodes,
    parts: () => [...cluster.parts.filter(({ kind }) => kind !== "service"), ...nodes()],
    async keepNodes(count) {
      const ended = nodes().slice(count);
      left = Math.min(left, count);
      await Promise.all(ended.map(({ process, stopSignal }) => process.stop(stopSignal, 60_000)));
    },
  };
}
