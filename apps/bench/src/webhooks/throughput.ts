import { setTimeout } from "node:timers/promises";
import { createWebhookFixture, round } from "./fixture.ts";

/** Deliveries per second from a backlog, to a receiver in the same process and on the same cores. */
export async function measureThroughput(webhooks: number, events: number) {
  const fixture = await createWebhookFixture(500);
  for (let number = 0; number < webhooks; number++) await fixture.addWebhook(`ok/${number}`);
  for (let made = 0; made < events; made += 10) await fixture.change(10);
  fixture.startDelivery();
  while (fixture.countPending() > 0) await setTimeout(100);
  const times = (await fixture.arrivals()).map(({ atMs }) => atMs);
  await fixture.close();
  const seconds = (Math.max(...times) - Math.min(...times)) / 1000;
  return { webhooks, deliveries: times.length, perSecond: round(times.length / seconds) };
}
