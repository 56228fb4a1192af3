import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { installOpenSearch, searchServerArguments } from "../../../../../scripts/servers/opensearch.ts";
import { describeShards, readClusterHealth } from "./opensearch-health.ts";
import type { Part } from "./part.ts";
import { createServerProcess } from "./server-process.ts";

export interface OpenSearchPart extends Part {
  port: number;
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
 * for 30 seconds.
 */
const faultDetection = Object.fromEntries(
  ["follower_check", "leader_check"].flatMap((check) => [
    [`cluster.fault_detection.${check}.interval`, "500ms"],
    [`cluster.fault_detection.${check}.timeout`, "1500ms"],
    [`cluster.fault_detection.${check}.retry_count`, 1],
  ]),
);

/** OpenSearch waits a minute for a node that left before it makes new copies, in some cases although the node has returned. */
const indexTemplate = {
  index_patterns: ["product-search-*"],
  template: { settings: { "index.unassigned.node_left.delayed_timeout": "2s" } },
};

export async function applyIndexTemplate({ port }: Pick<OpenSearchPart, "port">): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/_index_template/rehearsal`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(indexTemplate),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`OpenSearch refused the template of indexes: ${await response.text()}`);
}

export function createOpenSearchParts(
  root: string,
  { http, transport }: OpenSearchPorts,
  report: (line: string) => void,
): OpenSearchPart[] {
  if (http.length === 0) return [];
  const programs = installOpenSearch(report);
  const names = http.map((_, index) => `opensearch-${index + 1}`);
  return names.map((name, index) => {
    const port = http[index] ?? 0;
    const home = join(root, name);
    mkdirSync(join(home, "config"), { recursive: true });
    const args = searchServerArguments(programs, {
      name,
      home,
      httpPort: port,
      transportPort: transport[index] ?? 0,
      memberPorts: transport,
      // Ignored by nodes that have been members of a cluster.
      firstMembers: names,
      settings: { ...faultDetection, ...contextExpiry },
    });
    return {
      name,
      kind: "opensearch",
      port,
      process: createServerProcess({ command: "java", args, cwd: home, logFile: join(root, `${name}.log`) }),
      stopSignal: "SIGTERM",
      links: [],
      isHealthy: () => hasAllCopies(port, names.length),
      describe: () => describeShards(port, names.length),
    };
  });
}

/** All nodes are members, and every shard has its copies: another node may fail now. */
async function hasAllCopies(port: number, nodes: number): Promise<boolean> {
  const health = await readClusterHealth(port);
  return health.nodes === nodes && health.status === "green";
}
