import { setTimeout as delay } from "node:timers/promises";
import type { ClusterClient, Reply } from "./load/cluster-client.ts";
import type { ServicePart } from "./parts/service-part.ts";

const attempts = 20;

/** Asks one node. Fails if it does not respond. */
export type Ask = (node: ServicePart, path: string) => Promise<Reply>;

/** Repeats a request that fails: when all is quiet, it must succeed. */
export function createAsk(client: Pick<ClusterClient, "requestFrom">, pauseMs: number): Ask {
  return async (node, path) => {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const reply = await client.requestFrom(node, path);
      if (reply && (reply.status === 200 || reply.status === 404)) return reply;
      await delay(pauseMs);
    }
    throw new Error(`${node.name} does not respond to ${path} although nothing disturbs it.`);
  };
}
