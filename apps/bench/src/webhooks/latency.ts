import { setTimeout } from "node:timers/promises";
import { createWebhookFixture, quantile, round, type WebhookFixture } from "./fixture.ts";

export interface Latency {
  arrived: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
}

const tickMs = 100;

/** From the commit to the arrival of the first attempt, at this many events per second. */
export async function measureLatency(eventsPerSecond: number, seconds: number) {
  const fixture = await createWebhookFixture(500);
  await fixture.addWebhook("ok/0");
  fixture.startDelivery();
  await warmUp(fixture);
  const latency = summarise(await observe(fixture, eventsPerSecond, seconds, () => true));
  await fixture.close();
  return { eventsPerSecond, ...latency };
}

/** Waits until something arrives: then the delivery thread is running. */
export async function warmUp(fixture: WebhookFixture): Promise<void> {
  await fixture.change(1);
  while ((await fixture.arrivals()).length === 0) await setTimeout(tickMs);
  await setTimeout(500);
  await fixture.arrivals();
}

/** The milliseconds until each first arrival at the given paths. */
export async function observe(
  fixture: WebhookFixture,
  eventsPerSecond: number,
  seconds: number,
  isOfInterest: (path: string) => boolean,
): Promise<number[]> {
  const committed = new Map<string, number>();
  const startMs = performance.now();
  let made = 0;
  while (performance.now() - startMs < seconds * 1000) {
    const due = Math.floor(((performance.now() - startMs) / 1000) * eventsPerSecond) - made;
    for (const [change, atMs] of due > 0 ? await fixture.change(due) : []) committed.set(change, atMs);
    made += Math.max(0, due);
    await setTimeout(tickMs);
  }
  await setTimeout(2000);
  const first = new Map<string, number>();
  for (const { path, change, atMs } of await fixture.arrivals()) {
    const since = committed.get(change);
    const key = `${path} ${change}`;
    if (since !== undefined && isOfInterest(path) && !first.has(key)) first.set(key, atMs - since);
  }
  return [...first.values()];
}

export function summarise(latencies: readonly number[]): Latency {
  return {
    arrived: latencies.length,
    p50Ms: round(quantile(latencies, 0.5)),
    p95Ms: round(quantile(latencies, 0.95)),
    p99Ms: round(quantile(latencies, 0.99)),
  };
}
