import { setTimeout as delay } from "node:timers/promises";
import { compareTotals } from "./compare-totals.ts";
import type { DisturbedCluster } from "./disturb.ts";
import { createFindings, type Findings } from "./findings.ts";
import { eventsOf } from "./load/webhooks.ts";
import { observeNode, untilDelivered } from "./observe.ts";
import { untilHealthy } from "./parts/part.ts";
import { verifyEvents } from "./verify-events.ts";
import { verifyProducts } from "./verify-products.ts";
import { verifyWebhooks } from "./verify-webhooks.ts";

export interface Verified extends Findings {
  totalsDiffer: string[];
  events: number;
  pendingDeliveries: number;
}

const healthyTimeoutMs = 120_000;
const deliveryTimeoutMs = 180_000;
/** Longer than the lease of an import: one that was interrupted is finished by a node meanwhile. */
const unfinishedImportMs = 15_000;

/** When all is quiet: compares what was acknowledged with what every node returns and the receiver got. */
export async function verify(disturbed: DisturbedCluster): Promise<Verified> {
  const { cluster, client, ledger, receiver } = disturbed;
  for (const part of cluster.parts) {
    if (!(await untilHealthy(part, healthyTimeoutMs)))
      throw new Error(`${part.name} did not become healthy again.`);
  }
  await delay(unfinishedImportMs);
  const [first] = cluster.nodes;
  const pendingDeliveries = first ? await untilDelivered(client, first, deliveryTimeoutMs) : 0;
  const findings = createFindings();
  const observed = await Promise.all(cluster.nodes.map((node) => observeNode(client, node, ledger)));
  for (const { node, products, webhooks } of observed) {
    verifyProducts(node.name, ledger.products, products, findings);
    verifyWebhooks(node.name, ledger.webhooks, webhooks, findings);
  }
  const products = observed[0]?.products ?? new Map();
  const histories = new Map([...products].map(([key, { history }]) => [key, history]));
  const events = eventsOf(receiver, ledger);
  verifyEvents(ledger, histories, events, findings);
  const totalsDiffer = await compareTotals(client, new Set(products.keys()), ledger.products.size);
  return { ...findings, totalsDiffer, events: events.length, pendingDeliveries };
}
