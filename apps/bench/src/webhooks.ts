import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { wholeNumber } from "./support/whole-number.ts";
import { createWebhookFixture, round } from "./webhooks/fixture.ts";
import { measureGrowth } from "./webhooks/growth.ts";
import { measureIsolation } from "./webhooks/isolation.ts";
import { measureLatency } from "./webhooks/latency.ts";

const help = `Usage: pnpm bench webhooks [--rate N] [--seconds N] [--events N] [--only NAME] [--json]

Deliveries a second, latency under a load of events, isolation of bad targets among 100, growth of the store.

  --rate N        events a second for the latency (default 500)
  --seconds N     how long each load lasts (default 8)
  --events N      for the growth of the store (default 100000)
  --only NAME     throughput, latency, isolation or growth`;

interface Extent {
  rate: number;
  seconds: number;
  events: number;
}

const measures: Record<string, (extent: Extent) => Promise<object>> = {
  throughput: () => measureThroughput(100, 100),
  latency: ({ rate, seconds }) => measureLatency(rate, seconds),
  isolation: ({ seconds }) => measureIsolation(2, seconds),
  growth: ({ events }) => measureGrowth(events),
};

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rate: { type: "string", default: "500" },
      seconds: { type: "string", default: "8" },
      events: { type: "string", default: "100000" },
      only: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const figures: Record<string, object> = {};
  for (const [name, measure] of Object.entries(measures)) {
    if (values.only !== undefined && values.only !== name) continue;
    figures[name] = await measure({
      rate: wholeNumber("--rate", values.rate),
      seconds: wholeNumber("--seconds", values.seconds),
      events: wholeNumber("--events", values.events),
    });
  }
  console.log(values.json ? JSON.stringify(figures) : figures);
}

/** Deliveries per second from a backlog, to a receiver in the same process and on the same cores. */
async function measureThroughput(webhooks: number, events: number) {
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
