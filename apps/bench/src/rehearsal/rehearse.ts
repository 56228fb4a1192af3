import { setTimeout as delay } from "node:timers/promises";
import { abortable } from "@product-search/core/mechanisms/retry.ts";
import { startReceiver } from "@product-search/testing/receiver.ts";
import { createRandom } from "@product-search/testing/seed.ts";
import { type Disturbance, type DisturbanceSettings, type DisturbedCluster, disturb } from "./disturb.ts";
import type { Fault } from "./faults.ts";
import { createLedger, fieldsOf, percentile, type RehearsalFigures, visibleGoalMs } from "./figures.ts";
import { type ClusterClient, createClusterClient, rehearsedLimit } from "./load/cluster-client.ts";
import { createImporter, createSearchToken } from "./load/imports.ts";
import { startCluster } from "./start-cluster.ts";
import { type Verified, verify } from "./verify.ts";

const serviceNodes = 3;
const firstProducts = 200;
const searchableTimeoutMs = 60_000;
const warmUpTimeoutMs = 60_000;
/** A node is warm after so many fast searches in a row. */
const fastSearches = 20;
const fastMs = 200;
const shownFindings = 10;

const environment = {
  // A small index would have one: with three, a search also depends on nodes that have only a part of it.
  SEARCH_SHARDS: "3",
  SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
  TOKEN_RATE_LIMIT: "0",
  TRIAL_RATE_LIMIT: `${rehearsedLimit.requests}/${rehearsedLimit.seconds}`,
  WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8,198.18.0.0/15",
};

/** Starts a cluster, disturbs it, verifies it and ends it. */
export async function rehearse(settings: DisturbanceSettings): Promise<RehearsalFigures> {
  const { signal, seed } = settings;
  const startedMs = performance.now();
  const report = (line: string) =>
    settings.report(`${String(Math.round((performance.now() - startedMs) / 1000)).padStart(4)} s  ${line}`);
  const cluster = await startCluster({ ...settings, report, environment, serviceNodes });
  const receiver = await startReceiver(undefined, cluster.network.ownAddress);
  let token = "";
  const client = createClusterClient(cluster.nodes, () => token);
  const ledger = createLedger();
  const importer = createImporter({
    ledger,
    folder: cluster.folder,
    environment: cluster.commandEnvironment,
    random: createRandom(seed + 2),
  });
  const disturbed = { cluster, client, ledger, importer, receiver };
  let keep: "logs" | undefined = "logs";
  try {
    token = await createSearchToken(cluster.commandEnvironment);
    await importFirst(disturbed, signal);
    await warmUp(client, signal);
    report(`Disturbing the cluster for ${settings.seconds} s …`);
    // What is under way when the signal aborts ends with the process.
    const disturbance = await abortable(disturb(disturbed, { ...settings, report }), signal);
    report("Verifying …");
    const verified = await abortable(verify(disturbed), signal);
    if (verified.unhealthy.length === 0) keep = undefined;
    return toFigures(settings, disturbed, disturbance, verified);
  } finally {
    client.stop();
    if (signal.aborted) keep = undefined;
    await cluster.close(keep);
    if (keep) report(`The logs of all parts are in ${cluster.folder}.`);
    await receiver.close();
  }
}

/** The products at the start, found on every node before anything is disturbed. */
async function importFirst({ importer, client }: DisturbedCluster, signal: AbortSignal): Promise<void> {
  const numbers = Array.from({ length: firstProducts }, (_, number) => number);
  if (!(await importer.importProducts(numbers))) throw new Error("The first products could not be imported.");
  const deadline = performance.now() + searchableTimeoutMs;
  for (const node of client.nodes) {
    for (;;) {
      signal.throwIfAborted();
      const reply = await client.requestFrom(node, "/api/v1/search/catalog?q=rehearsed&literal=true&count=1");
      if (fieldsOf(reply?.body).count === firstProducts) break;
      if (performance.now() > deadline) throw new Error(`${node.name} does not find the first products.`);
      await delay(200);
    }
  }
}

/** Servers that have just started compile their code: what they do then is no effect of a fault. */
async function warmUp(client: ClusterClient, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + warmUpTimeoutMs;
  for (const node of client.nodes) {
    for (let fast = 0; fast < fastSearches && performance.now() < deadline; ) {
      signal.throwIfAborted();
      const sentMs = performance.now();
      await client.requestFrom(node, "/api/v1/search/catalog?q=rehearsed&facets=brands&count=10");
      fast = performance.now() - sentMs < fastMs ? fast + 1 : 0;
    }
  }
}

function countEach(lines: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, count]) => `${line}: ${count}`);
}

/** What missed the goals of time, and during which faults. */
function describeMissed({ startedMs, faults, visible, limit }: Disturbance): string[] {
  const late = visible
    .filter(({ fromMs, toMs }) => toMs - fromMs > visibleGoalMs)
    .map(({ node, fromMs, toMs }) => ({
      what: `not found on ${node} for ${toMs - fromMs} ms`,
      fromMs: fromMs - startedMs,
      toMs: toMs - startedMs,
    }));
  const exceeded = limit.exceeded.map(({ startMs, admitted }) => ({
    what: `${admitted} requests of ${rehearsedLimit.requests}`,
    fromMs: startMs - startedMs,
    toMs: startMs - startedMs + rehearsedLimit.seconds * 1000,
  }));
  return [
    ...describeCauses("found late", late, faults),
    ...describeCauses("limit exceeded", exceeded, faults),
  ];
}

function toFigures(
  { seconds, seed, searchNodes }: DisturbanceSettings,
  { client, ledger, importer }: DisturbedCluster,
  disturbance: Disturbance,
  verified: Verified,
): RehearsalFigures {
  const { faults, searches, visible, takeoverSeconds, limit } = disturbance;
  const { findings } = verified;
  const { succeeded, failed } = searches;
  const visibleMs = visible.map(({ fromMs, toMs }) => toMs - fromMs);
  const first = (name: string, lines: readonly string[]) =>
    lines.slice(0, shownFindings).map((line) => `${name}: ${line}`);
  return {
    seconds,
    seed,
    searchNodes,
    lost: findings?.lost.length ?? null,
    invented: findings?.invented.length ?? null,
    doubled: findings?.doubled.length ?? null,
    unexpected5xx: client.unexpected5xx.length,
    searchAvailability: succeeded + failed === 0 ? null : succeeded / (succeeded + failed),
    visibleP99Ms: percentile(visibleMs, 0.99),
    takeoverSeconds,
    limitOvershoot: limit.overshoot,
    totalsDiffer: verified.totalsDiffer?.length ?? null,
    readyWhileCutOff: disturbance.readyWhileCutOff?.length ?? null,
    pendingDeliveries: verified.pendingDeliveries ?? null,
    unhealthy: verified.unhealthy,
    counts: {
      products: ledger.products.size,
      imports: importer.counts.acknowledged,
      failedImports: importer.counts.failed,
      webhooks: ledger.webhooks.filter(({ acknowledgedMs }) => acknowledgedMs !== undefined).length,
      deliveries: verified.events,
      searches: succeeded + failed,
      visibilitySamples: visibleMs.length,
    },
    faults,
    findings: [
      ...first("lost", findings?.lost ?? []),
      ...first("invented", findings?.invented ?? []),
      ...first("doubled", findings?.doubled ?? []),
      ...first("unexpected status", client.unexpected5xx),
      ...first("total", verified.totalsDiffer ?? []),
      ...countEach(searches.failures).map((line) => `failed searches: ${line}`),
      ...(disturbance.readyWhileCutOff ?? []),
      ...describeMissed(disturbance),
    ],
  };
}

/** Something that missed a goal, and when: milliseconds since the disturbance began. */
export interface Missed {
  what: string;
  fromMs: number;
  toMs: number;
}

/** Each thing that missed a goal, with the faults that it fell in, and how many fell in each sort of fault. */
export function describeCauses(name: string, missed: readonly Missed[], faults: readonly Fault[]): string[] {
  const sorts = new Map<string, number>();
  const lines = missed.map((one) => {
    const causes = faults.filter((fault) => overlaps(fault, one));
    const found = new Set(causes.map(({ action, part }) => `${action} ${part.split("-")[0]}`));
    for (const sort of found.size > 0 ? found : ["no fault"]) sorts.set(sort, (sorts.get(sort) ?? 0) + 1);
    const during = causes
      .map(({ action, part, atSeconds }) => `${action} ${part} at ${atSeconds} s`)
      .join(", ");
    return `${name}: ${one.what} at ${Math.round(one.fromMs / 100) / 10} s, during ${during || "no fault"}`;
  });
  const counts = [...sorts].toSorted((a, b) => b[1] - a[1]).map(([sort, count]) => `${count} in ${sort}`);
  return lines.length === 0 ? [] : [`${name}, ${missed.length} in all: ${counts.join(", ")}`, ...lines];
}

/** From the beginning of the fault until the part was healthy again. */
function overlaps({ atSeconds, seconds, recoveredSeconds }: Fault, { fromMs, toMs }: Missed): boolean {
  const endSeconds = atSeconds + (recoveredSeconds ?? seconds);
  return atSeconds * 1000 <= toMs && endSeconds * 1000 >= fromMs;
}
