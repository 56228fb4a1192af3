import { randomBytes } from "node:crypto";
import { describeOnServer } from "@product-search/testing/servers/suite.ts";
import { type Cluster, createCluster } from "../src/cluster/cluster.ts";
import type { HeldLease } from "../src/cluster/index-names.ts";

/** The cluster of the tests; not SEARCH_URL, which would also move the services that tests start. */
export const testNodes: readonly string[] = (process.env.TEST_SEARCH_URL ?? "none")
  .split(",")
  .filter((address) => address !== "none" && address !== "");

/** Runs on a real OpenSearch. Without one, prints the reason and skips. */
export function describeOnOpenSearch(name: string, body: () => void): void {
  const missing = "it needs OpenSearch; `pnpm servers start --only opensearch` starts one";
  describeOnServer(name, testNodes.length > 0 ? undefined : missing, body);
}

/** Of a node that has no rival. */
export const soleLease: HeldLease = { job: "text-index", number: 1, isHeld: async () => true };

export interface TestIndex {
  readonly cluster: Cluster;
  /** A unique alias for each test. */
  readonly alias: string;
  /** Deletes everything created under the alias. */
  close(): Promise<void>;
}

export function openTestIndex(timeoutMs?: number): TestIndex {
  const cluster = createCluster({ nodes: testNodes, ...(timeoutMs !== undefined && { timeoutMs }) });
  const alias = `test-${randomBytes(6).toString("hex")}`;
  return {
    cluster,
    alias,
    close: async () => {
      await deleteIndexes(cluster, alias);
      await cluster.close();
    },
  };
}

/** All whose names begin so. */
async function deleteIndexes(cluster: Cluster, prefix: string): Promise<void> {
  const response = await cluster.request({ method: "GET", path: `/${prefix}*/_alias` });
  const names = typeof response === "object" && response !== null ? Object.keys(response) : [];
  for (const name of names) await cluster.request({ method: "DELETE", path: `/${name}` });
}
