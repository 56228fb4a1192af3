import { createWebhookFixture, round } from "./fixture.ts";
import { type Latency, observe, summarise, warmUp } from "./latency.ts";

const webhooks = 100;
const manners = ["hanging", "slow", "resetting", "failing", "limiting"] as const;

/**
 * One hundred webhooks of one account. None, one of each kind, or all five misbehave, and the effect on the others is
 * measured. Rounds without misbehaving ones alternate with the others, so that other load affects both alike.
 */
export async function measureIsolation(eventsPerSecond: number, seconds: number) {
  const baseline: number[] = [];
  const troubled: Record<string, number[]> = {};
  for (const bad of [...manners.map((manner) => [manner]), [...manners]]) {
    baseline.push(...(await observeOthers([], eventsPerSecond, seconds)));
    troubled[bad.join("+")] = await observeOthers(bad, eventsPerSecond, seconds);
  }
  const base = summarise(baseline);
  const against = (latency: Latency) => ({ ...latency, p95Ratio: round(latency.p95Ms / base.p95Ms, 3) });
  return {
    deliveriesPerSecond: eventsPerSecond * webhooks,
    none: base,
    ...Object.fromEntries(Object.entries(troubled).map(([bad, times]) => [bad, against(summarise(times))])),
  };
}

async function observeOthers(
  bad: readonly string[],
  eventsPerSecond: number,
  seconds: number,
): Promise<number[]> {
  const fixture = await createWebhookFixture(500);
  for (const manner of bad) await fixture.addWebhook(`${manner}/0`);
  for (let number = bad.length; number < webhooks; number++) await fixture.addWebhook(`ok/${number}`);
  fixture.startDelivery();
  await warmUp(fixture);
  const latencies = await observe(fixture, eventsPerSecond, seconds, (path) => path.startsWith("/ok/"));
  await fixture.close();
  return latencies;
}
