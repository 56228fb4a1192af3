import { setTimeout } from "node:timers/promises";
import { createWorld, quantile, round, type World } from "./world.ts";

export interface Latency {
  arrived: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
}

const tickMs = 100;

/** From commit to the first attempt's arrival while so many events a second come. */
export async function measureLatency(eventsPerSecond: number, seconds: number) {
  const world = await createWorld(500);
  await world.addWebhook("ok/0");
  world.startDelivery();
  await warmUp(world);
  const latency = summarise(await observe(world, eventsPerSecond, seconds, () => true));
  await world.close();
  return { eventsPerSecond, ...latency };
}

/** The delivery thread is up once something arrives. */
export async function warmUp(world: World): Promise<void> {
  await world.change(1);
  while ((await world.arrivals()).length === 0) await setTimeout(tickMs);
  await setTimeout(500);
  await world.arrivals();
}

/** The milliseconds that each first arrival took at the paths of interest. */
export async function observe(
  world: World,
  eventsPerSecond: number,
  seconds: number,
  isOfInterest: (path: string) => boolean,
): Promise<number[]> {
  const committed = new Map<string, number>();
  const startMs = performance.now();
  let made = 0;
  while (performance.now() - startMs < seconds * 1000) {
    const due = Math.floor(((performance.now() - startMs) / 1000) * eventsPerSecond) - made;
    for (const [change, atMs] of due > 0 ? await world.change(due) : []) committed.set(change, atMs);
    made += Math.max(0, due);
    await setTimeout(tickMs);
  }
  await setTimeout(2000);
  const first = new Map<string, number>();
  for (const { path, change, atMs } of await world.arrivals()) {
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
