import { setTimeout as delay } from "node:timers/promises";
import { productId } from "@product-search/core/domain/identity.ts";
import type { Receiver } from "@product-search/testing/receiver.ts";
import {
  createFindings,
  type Findings,
  fieldsOf,
  type Ledger,
  listOf,
  type PriceWrite,
  type WebhookWrite,
} from "./figures.ts";
import type { ClusterClient, Reply } from "./load/cluster-client.ts";
import { groupOf, groupWords, keyOf, totalOf, wordOf } from "./load/imports.ts";
import { eventsOf, type ReceivedEvent, verifyEvents } from "./load/webhooks.ts";
import { describePart, type Part, untilHealthy } from "./parts/part.ts";
import type { ServicePart } from "./parts/service-part.ts";
import type { RehearsedCluster } from "./start-cluster.ts";

export interface Verified {
  /** Undefined if no node returned what it has. */
  findings: Findings | undefined;
  /** Undefined if no node responded to all searches. */
  totalsDiffer: string[] | undefined;
  /** Undefined if no node listed the deliveries. */
  pendingDeliveries: number | undefined;
  events: number;
  /** The parts that have not recovered, and what a node did not respond to, each with the reason. */
  unhealthy: string[];
}

export interface VerifySettings {
  healthyTimeoutMs: number;
  deliveryTimeoutMs: number;
  /** Longer than the lease of an import: one that was interrupted is finished by a node meanwhile. */
  unfinishedImportMs: number;
  /** Between the attempts of a request that fails. */
  retryMs: number;
}

/** The parts of a disturbed cluster that are needed. */
export interface VerifiedCluster {
  cluster: Pick<RehearsedCluster, "parts" | "nodes">;
  client: Pick<ClusterClient, "requestFrom">;
  ledger: Ledger;
  receiver: Pick<Receiver, "received">;
}

const usual = {
  healthyTimeoutMs: 120_000,
  deliveryTimeoutMs: 180_000,
  unfinishedImportMs: 15_000,
  retryMs: 500,
};

/**
 * When all is quiet: compares what was acknowledged with what every node returns and the receiver got. A part that has
 * not recovered is reported, and the rest is compared.
 */
export async function verify(
  { cluster, client, ledger, receiver }: VerifiedCluster,
  { healthyTimeoutMs, deliveryTimeoutMs, unfinishedImportMs, retryMs }: VerifySettings = usual,
): Promise<Verified> {
  const unhealthy = await findUnhealthy(cluster.parts, healthyTimeoutMs);
  await delay(unfinishedImportMs);
  const ask = createAsk(client, retryMs);
  const onEach = <Value>(work: (node: ServicePart) => Promise<Value>) =>
    collect(cluster.nodes.map(work), unhealthy);
  const pending = await onEach((node) => untilDelivered(ask, node, deliveryTimeoutMs));
  const observed = await onEach((node) => observeNode(ask, node, ledger));
  const events = eventsOf(receiver, ledger);
  const existing = new Set(observed[0]?.products.keys());
  const totals = await onEach((node) => compareTotals(ask, node, existing, ledger.products.size));
  return {
    findings: observed.length > 0 ? compare(ledger, observed, events) : undefined,
    totalsDiffer: totals.length > 0 && observed.length > 0 ? totals.flat() : undefined,
    pendingDeliveries: pending.length > 0 ? Math.max(...pending) : undefined,
    events: events.length,
    unhealthy,
  };
}

/** The parts that are not healthy when the time is over. */
async function findUnhealthy(parts: readonly Part[], timeoutMs: number): Promise<string[]> {
  const states = parts.map(async (part) =>
    (await untilHealthy(part, timeoutMs)) ? [] : [await describePart(part)],
  );
  return (await Promise.all(states)).flat();
}

/** The results of those that succeed. The messages of the others are added to the list. */
async function collect<Value>(work: readonly Promise<Value>[], failures: string[]): Promise<Value[]> {
  const results = await Promise.allSettled(work);
  return results.flatMap((result) => {
    if (result.status === "fulfilled") return [result.value];
    failures.push(result.reason instanceof Error ? result.reason.message : String(result.reason));
    return [];
  });
}

function compare(
  ledger: Ledger,
  observed: readonly ObservedNode[],
  events: readonly ReceivedEvent[],
): Findings {
  const findings = createFindings();
  for (const { node, products, webhooks } of observed) {
    verifyProducts(node.name, ledger.products, products, findings);
    verifyWebhooks(node.name, ledger.webhooks, webhooks, findings);
  }
  const histories = new Map([...(observed[0]?.products ?? [])].map(([key, { history }]) => [key, history]));
  verifyEvents(ledger, histories, events, findings);
  return findings;
}

/** Compares the paths of the webhooks that a node lists with those that were created. */
export function verifyWebhooks(
  node: string,
  written: readonly WebhookWrite[],
  listed: readonly string[],
  { lost, invented, doubled }: Findings,
): void {
  for (const { path, acknowledgedMs } of written) {
    if (acknowledgedMs !== undefined && !listed.includes(path)) lost.push(`${node}: webhook ${path}`);
  }
  for (const [at, path] of listed.entries()) {
    if (listed.indexOf(path) !== at) doubled.push(`${node}: webhook ${path}`);
    else if (!written.some((webhook) => webhook.path === path)) invented.push(`${node}: webhook ${path}`);
  }
}

/** Searches whose total follows from the products that exist. */
function expectedTotals(keys: ReadonlySet<string>, productCount: number): Map<string, number> {
  const numbers = Array.from({ length: productCount }, (_, number) => number).filter((number) =>
    keys.has(keyOf(number)),
  );
  const totals = new Map<string, number>();
  for (const group of groupWords) {
    const members = numbers.filter((number) => groupOf(number) === group).length;
    for (const more of [
      "",
      "&sort=price",
      "&brands=Ferrolux",
      "&availability=in_stock&page=2",
      "&facets=price",
    ]) {
      totals.set(`q=${group}&literal=true${more}`, members);
    }
  }
  for (const number of numbers.slice(0, 25)) totals.set(`q=${wordOf(number)}&literal=true`, 1);
  return totals;
}

/** Searches whose total is not that of the products. Fails if the node does not respond to one of them. */
async function compareTotals(
  ask: Ask,
  node: ServicePart,
  keys: ReadonlySet<string>,
  productCount: number,
): Promise<string[]> {
  const different: string[] = [];
  for (const [search, expected] of expectedTotals(keys, productCount)) {
    const total = totalOf(await ask(node, `/api/v1/search/catalog?count=5&${search}`));
    if (total !== expected) different.push(`${node.name}: ${search}: ${total}, not ${expected}`);
  }
  return different;
}

/** What a node tells about the things that were written. */
interface ObservedNode {
  node: ServicePart;
  products: Map<string, ObservedProduct>;
  /** The paths of the webhooks. */
  webhooks: string[];
}

async function observeNode(ask: Ask, node: ServicePart, ledger: Ledger): Promise<ObservedNode> {
  const products = new Map<string, ObservedProduct>();
  for (const key of ledger.products.keys()) {
    const path = `/api/v1/products/${productId("catalog", key)}`;
    const found = await ask(node, path);
    if (found.status === 404) continue;
    const history = await ask(node, `${path}/price-history?limit=1000`);
    products.set(key, {
      price: Number(fieldsOf(fieldsOf(found.body).product).price),
      history: listOf(fieldsOf(history.body).priceHistory).map(({ price }) => Number(price)),
    });
  }
  const webhooks = await listWebhooks(ask, node);
  return { node, products, webhooks: webhooks.map(({ webhookUrl }) => new URL(String(webhookUrl)).pathname) };
}

async function listWebhooks(ask: Ask, node: ServicePart) {
  return listOf(fieldsOf((await ask(node, "/api/v1/webhooks")).body).data);
}

/** Until no delivery has attempts left. Returns how many still have when the time is over. */
async function untilDelivered(ask: Ask, node: ServicePart, timeoutMs: number): Promise<number> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let pending = 0;
    for (const { id } of await listWebhooks(ask, node)) {
      pending += await countPending(ask, node, String(id));
    }
    if (pending === 0 || performance.now() > deadline) return pending;
    await delay(1000);
  }
}

async function countPending(ask: Ask, node: ServicePart, webhook: string): Promise<number> {
  let pending = 0;
  for (let cursor = ""; ; ) {
    const page = fieldsOf(
      (await ask(node, `/api/v1/webhooks/${webhook}/deliveries?limit=200${cursor}`)).body,
    );
    pending += listOf(page.data).filter(({ status }) => status === "pending").length;
    if (typeof page.nextCursor !== "string") return pending;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
}

const attempts = 20;

/** Asks one node. Fails if it does not respond. */
type Ask = (node: ServicePart, path: string) => Promise<Reply>;

/** Repeats a request that fails: when all is quiet, it must succeed. */
function createAsk(client: Pick<ClusterClient, "requestFrom">, pauseMs: number): Ask {
  return async (node, path) => {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const reply = await client.requestFrom(node, path);
      if (reply && (reply.status === 200 || reply.status === 404)) return reply;
      await delay(pauseMs);
    }
    throw new Error(`${node.name} does not respond to ${path} although nothing disturbs it.`);
  };
}

/** A product as one node returns it. */
export interface ObservedProduct {
  price: number;
  /** All prices, oldest first. */
  history: readonly number[];
}

/** Compares the products of a node with the writes. */
export function verifyProducts(
  node: string,
  written: ReadonlyMap<string, readonly PriceWrite[]>,
  observed: ReadonlyMap<string, ObservedProduct>,
  findings: Findings,
): void {
  for (const [key, product] of observed) {
    const writes = written.get(key);
    if (writes) verifyProduct(`${node}: product ${key}`, writes, product, findings);
    else findings.invented.push(`${node}: product ${key}`);
  }
  for (const [key, writes] of written) {
    const isAcknowledged = writes.some(({ acknowledgedMs }) => acknowledgedMs !== undefined);
    if (isAcknowledged && !observed.has(key)) findings.lost.push(`${node}: product ${key}`);
  }
}

function verifyProduct(
  name: string,
  writes: readonly PriceWrite[],
  { price, history }: ObservedProduct,
  { lost, invented, doubled }: Findings,
): void {
  const lastAcknowledged = writes.findLastIndex(({ acknowledgedMs }) => acknowledgedMs !== undefined);
  const current = writes.findIndex((write) => write.price === price);
  if (current < 0) invented.push(`${name} has the price ${price}`);
  else if (current < lastAcknowledged) {
    lost.push(`${name} has the price ${price}, not ${writes[lastAcknowledged]?.price}`);
  }
  if (history.at(-1) !== price) {
    lost.push(`${name} has the price ${price}, and its history ends with ${history.at(-1)}`);
  }
  for (const [at, entry] of history.entries()) {
    if (history.indexOf(entry) !== at) doubled.push(`${name} has the price ${entry} twice in its history`);
    else if (!writes.some((write) => write.price === entry))
      invented.push(`${name} has the price ${entry} in its history`);
  }
  for (const write of writes) {
    if (write.acknowledgedMs !== undefined && !history.includes(write.price))
      lost.push(`${name} has no price ${write.price} in its history`);
  }
}
