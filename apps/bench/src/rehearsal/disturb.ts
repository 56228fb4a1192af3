import { setTimeout as delay } from "node:timers/promises";
import { productId } from "@product-search/core/domain/identity.ts";
import type { Receiver } from "@product-search/testing/receiver.ts";
import { createRandom, type Random } from "@product-search/testing/seed.ts";
import { applyFaults, type Fault, planFaults } from "./faults.ts";
import { type Ledger, visibleGoalMs } from "./figures.ts";
import {
  type ClusterClient,
  type MeasuredLimit,
  measureLimit,
  type ReadySpan,
  waitWhileReady,
} from "./load/cluster-client.ts";
import { groupWords, type Importer, importUntil, keyOf, productsOf, wordOf } from "./load/imports.ts";
import { watchTakeovers } from "./load/takeover.ts";
import { createWebhooksUntil } from "./load/webhooks.ts";
import type { Part } from "./parts/part.ts";
import type { ServicePart } from "./parts/service-part.ts";
import type { RehearsedCluster } from "./start-cluster.ts";

const everyMs = 250;

/** After this time, a service node must report that it is not ready. */
const toleratedSeconds = 5;

export interface CutOffSettings {
  faults: readonly Fault[];
  parts: readonly Pick<Part, "name" | "kind">[];
  spansOf(node: string): readonly ReadySpan[];
  /** As `Date.now()` tells. */
  startedMs: number;
  endedMs: number;
}

/** The service nodes that reported themselves ready although they could not reach PostgreSQL. Undefined if no cut was long enough. */
export function readyWhileCutOff(settings: CutOffSettings): string[] | undefined {
  const { faults, parts, spansOf, startedMs, endedMs } = settings;
  const cuts = faults.flatMap(({ action, part, atSeconds, seconds }) => {
    const fromMs = startedMs + (atSeconds + toleratedSeconds) * 1000;
    const untilMs = Math.min(startedMs + (atSeconds + seconds) * 1000, endedMs);
    const isLong = action === "isolate" && untilMs > fromMs;
    return isLong ? cutOffBy(part, parts).map((node) => ({ node, part, atSeconds, fromMs, untilMs })) : [];
  });
  if (cuts.length === 0) return undefined;
  return cuts
    .filter(({ node, fromMs, untilMs }) =>
      spansOf(node).some((span) => span.fromMs <= untilMs && span.untilMs >= fromMs),
    )
    .map(({ node, part, atSeconds }) => `${node} was ready while ${part} was cut off at ${atSeconds} s`);
}

function cutOffBy(part: string, parts: CutOffSettings["parts"]): string[] {
  const kind = parts.find(({ name }) => name === part)?.kind;
  if (kind === "service") return [part];
  return kind === "postgres" ? parts.filter((one) => one.kind === "service").map(({ name }) => name) : [];
}

export interface DisturbedCluster {
  cluster: RehearsedCluster;
  client: ClusterClient;
  ledger: Ledger;
  importer: Importer;
  receiver: Receiver;
}

export interface DisturbanceSettings {
  seconds: number;
  seed: number;
  searchNodes: number;
  report(line: string): void;
  signal: AbortSignal;
}

export interface Disturbance {
  faults: Fault[];
  searches: SearchCounts;
  /** As `Date.now()` tells. */
  startedMs: number;
  visible: Visibility[];
  takeoverSeconds: number | null;
  limit: MeasuredLimit;
  /** Undefined if no cut was long enough. */
  readyWhileCutOff: string[] | undefined;
}

/** Searches, imports, price changes, webhooks and faults, all at the same time. Returns when every part is healthy again. */
export async function disturb(
  { cluster, client, ledger, importer, receiver }: DisturbedCluster,
  { seconds, seed, searchNodes, report, signal }: DisturbanceSettings,
): Promise<Disturbance> {
  // A single search node cannot be replaced by another one: then faults happen to the other kinds.
  const parts = cluster.parts.filter(({ kind }) => kind !== "opensearch" || searchNodes > 1);
  const takeovers = await watchTakeovers(cluster.databaseUrl, report);
  const ending = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
  const startedMs = Date.now();
  const visible: Visibility[] = [];
  const measure = async (numbers: readonly number[], importing: Promise<boolean>) => {
    visible.push(...(await measureVisibility(client, ledger, numbers[0] ?? 0, importing)));
  };
  const onFaults = {
    parts,
    startedMs: performance.now(),
    report,
    onFault: takeovers.nodeFailed,
    onReturn: takeovers.nodeReturned,
  };
  const [faults, searches, limit] = await Promise.all([
    applyFaults(onFaults, planFaults(parts, seed), ending),
    searchUntil(client, createRandom(seed + 1), () => ledger.products.size, ending),
    measureLimit(client, ending),
    importUntil(importer, measure, ending),
    createWebhooksUntil(client, ledger, receiver, { seconds, signal: ending }),
  ]);
  const readyNodes = readyWhileCutOff({
    faults,
    parts,
    spansOf: (name) => client.nodes.filter((node) => node.name === name).flatMap(client.readySpans),
    startedMs,
    endedMs: startedMs + seconds * 1000,
  });
  const takeoverSeconds = await takeovers.end();
  return { startedMs, faults, searches, visible, limit, readyWhileCutOff: readyNodes, takeoverSeconds };
}

interface SearchCounts {
  succeeded: number;
  failed: number;
  /** When a search failed, in tens of seconds, and its status or that there was no response. */
  failures: string[];
}

/** About four searches a second through the balancer, until the signal aborts. */
async function searchUntil(
  client: ClusterClient,
  random: Random,
  productCount: () => number,
  signal: AbortSignal,
): Promise<SearchCounts> {
  const counts: SearchCounts = { succeeded: 0, failed: 0, failures: [] };
  const underWay = new Set<Promise<void>>();
  const startedMs = performance.now();
  const search = async () => {
    const from = Math.floor((performance.now() - startedMs) / 10_000) * 10;
    const reply = await client.request(drawSearch(random, productCount()));
    if (reply?.status === 200) counts.succeeded += 1;
    else {
      counts.failed += 1;
      counts.failures.push(
        `${from} to ${from + 10} s: ${reply ? `status ${reply.status}` : "no response in time"}`,
      );
    }
  };
  while (!signal.aborted) {
    const searching = search().finally(() => underWay.delete(searching));
    underWay.add(searching);
    await delay(everyMs, undefined, { signal }).catch(() => {});
  }
  await Promise.all(underWay);
  return counts;
}

function drawSearch(random: Random, products: number): string {
  const group = groupWords[random.integer(0, groupWords.length - 1)];
  const queries = [
    `q=${wordOf(random.integer(0, Math.max(0, products - 1)))}`,
    `q=${group}`,
    `q=${group}&sort=price&page=2`,
    `q=rehearsed+${group}&facets=brands,price`,
  ];
  return `/api/v1/search/catalog?count=10&${queries[random.integer(0, queries.length - 1)]}`;
}

/** Polls more often would measure the load that it causes itself. */
const pollMs = 300;
/** A change that is not found after this time counts with it. */
const maxWaitMs = 30_000;

type VisibilityClient = Pick<ClusterClient, "nodes" | "requestFrom" | "readySpans">;

/**
 * Waits until each node finds the new price of the product. A sample for each node that is ready: from the time of the
 * change in PostgreSQL, or since the node became ready again, until it is found.
 */
async function measureVisibility(
  client: VisibilityClient,
  ledger: Ledger,
  number: number,
  importing: Promise<boolean>,
): Promise<Visibility[]> {
  const key = keyOf(number);
  const price = ledger.products.get(key)?.at(-1)?.price ?? 0;
  let isOver = false;
  const waits = client.nodes.map((node) => waitOn(client, node, { number, price }, () => isOver));
  const isAcknowledged = await importing;
  const acknowledgedMs = Date.now();
  if (isAcknowledged) await Promise.race([Promise.all(waits), delay(maxWaitMs)]);
  isOver = true;
  const overMs = Date.now();
  const found = await Promise.all(waits);
  if (!isAcknowledged) return [];
  return client.nodes.flatMap((node, at) => {
    const one = found[at];
    if (one !== undefined) return one.sample ?? [];
    const wait = waitWhileReady(client.readySpans(node), acknowledgedMs, overMs, visibleGoalMs);
    // It may still be found at any time: only what is late already is known.
    return wait && wait.toMs - wait.fromMs > visibleGoalMs ? { node: node.name, ...wait } : [];
  });
}

/** Times of `Date.now()`: how long a change was not found on a node that was ready. */
interface Visibility {
  node: string;
  fromMs: number;
  toMs: number;
}

/** Undefined if the node did not find it. Without a sample if it was not ready then. */
async function waitOn(
  client: VisibilityClient,
  node: ServicePart,
  { number, price }: { number: number; price: number },
  isOver: () => boolean,
): Promise<{ sample: Visibility | undefined } | undefined> {
  const id = productId("catalog", keyOf(number));
  while (!isOver()) {
    const path = `/api/v1/search/catalog?q=${wordOf(number)}&literal=true&count=5`;
    const found = productsOf(await client.requestFrom(node, path)).find((product) => product.id === id);
    if (found && found.price === price) {
      const foundMs = Math.max(found.pricedMs, Date.now());
      const wait = waitWhileReady(client.readySpans(node), found.pricedMs, foundMs, visibleGoalMs);
      return { sample: wait && { node: node.name, ...wait } };
    }
    await delay(pollMs);
  }
  return undefined;
}
