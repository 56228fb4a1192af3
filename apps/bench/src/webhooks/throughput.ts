import { setTimeout } from "node:timers/promises";
import { createWorld, round } from "./world.ts";

/** Deliveries a second from a backlog, to a receiver in the same process and on the same cores. */
export async function measureThroughput(webhooks: number, events: number) {
  const world = await createWorld(500);
  for (let number = 0; number < webhooks; number++) await world.addWebhook(`ok/${number}`);
  for (let made = 0; made < events; made += 10) await world.change(10);
  world.startDelivery();
  while (world.countPending() > 0) await setTimeout(100);
  const times = (await world.arrivals()).map(({ atMs }) => atMs);
  await world.close();
  const seconds = (Math.max(...times) - Math.min(...times)) / 1000;
  return { webhooks, deliveries: times.length, perSecond: round(times.length / seconds) };
}
