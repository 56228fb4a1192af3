import { redactUrl } from "@product-search/core/domain/redact-url.ts";
import type { FeedSchedule, PullResult } from "@product-search/core/ports/feed-schedule.ts";
import { Counter, Gauge, Registry } from "prom-client";

export interface FeedMetrics {
  /** In the form that threads exchange. */
  read(): Promise<object[]>;
  count(feed: { source: string; url: string }, outcome: "imported" | "unchanged" | "failed"): void;
}

const counted = [
  "rows",
  "refused",
  "duplicates",
  "created",
  "updated",
  "unchanged",
  "failed",
  "removed",
  "notFound",
  "outdated",
  "outOfStock",
] as const satisfies readonly (keyof PullResult)[];

/** Feeds are named without the query of their URL, which may contain a token. */
export function createFeedMetrics({ list }: Pick<FeedSchedule, "list">): FeedMetrics {
  const registry = new Registry();
  const registers = [registry];
  const names = ["source", "feed"];
  const labels = ({ source, url }: { source: string; url: string }) => ({ source, feed: redactUrl(url) });
  const pulls = new Counter({
    name: "feed_pulls_total",
    help: "Scheduled fetches of feeds, by outcome.",
    labelNames: [...names, "outcome"],
    registers,
  });
  const failures = new Gauge({
    name: "feed_failures",
    help: "Failed fetches of the feed in a row.",
    labelNames: names,
    registers,
  });
  const succeeded = new Gauge({
    name: "feed_last_success_timestamp_seconds",
    help: "When the feed was fetched last without an error; 0 if never.",
    labelNames: names,
    registers,
  });
  const period = new Gauge({
    name: "feed_period_seconds",
    help: "How often the feed is to be fetched.",
    labelNames: names,
    registers,
  });
  const lastImport = new Gauge({
    name: "feed_last_import",
    help: "What the last import of the feed came to: rows, and products by what became of them.",
    labelNames: [...names, "result"],
    registers,
  });
  return {
    count: (feed, outcome) => pulls.inc({ ...labels(feed), outcome }),
    async read() {
      for (const gauge of [failures, succeeded, period, lastImport]) gauge.reset();
      for (const feed of await list()) {
        failures.set(labels(feed), feed.failures);
        succeeded.set(labels(feed), (feed.succeededAtMs ?? 0) / 1000);
        period.set(labels(feed), feed.periodMs / 1000);
        for (const result of counted) {
          lastImport.set({ ...labels(feed), result }, feed.result?.[result] ?? 0);
        }
      }
      return registry.getMetricsAsJSON();
    },
  };
}
