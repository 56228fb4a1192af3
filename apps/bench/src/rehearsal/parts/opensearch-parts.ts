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
      settings: faultDetection,
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
