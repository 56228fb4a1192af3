import { redactUrl } from "@product-search/core/domain/urls.ts";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { FeedSchedule, PullResult } from "@product-search/core/ports/imports.ts";
import type { Logger } from "pino";
import { Counter, Gauge, Registry } from "prom-client";
import { composeOwnImports, type OwnImports } from "../../compose/import.ts";
import { composeStores } from "../../compose/stores/stores.ts";
import type { Run } from "../role.ts";

const lookEveryMs = 10_000;
/** An import of a node that died begins to be finished within ten seconds: this after its lease has run out. */
const lookEveryMsAmongNodes = 1000;
const pullEveryMs = 1000;
const clearEveryMs = 60_000;
/** Bounds the memory of the thread: each reads and parses a feed. A feed that is read slowly holds one of these. */
const maxPullsAtOnce = 32;

/** Finishes imports whose process died after it had read its feed, and imports the scheduled feeds. */
export const runImport: Run = async ({ config, bus, logger }) => {
  const stores = await composeStores(config);
  const imports = await composeOwnImports(config, stores, (error) =>
    logger.error({ err: error }, "an interrupted import was discarded"),
  );
  const metrics = createFeedMetrics(stores.feedSchedule);
  const stopping = new AbortController();
  const { signal } = stopping;
  const resumeEveryMs = config.databaseUrl === undefined ? lookEveryMs : lookEveryMsAmongNodes;
  const repeat = async (everyMs: number, message: string, work: () => Promise<boolean>) => {
    while (!signal.aborted) {
      try {
        if (await work()) continue;
      } catch (error) {
        if (!signal.aborted) logger.error({ err: error }, message);
      }
      await pause(everyMs, signal);
    }
  };
  const resuming = repeat(resumeEveryMs, "an import that was left behind could not be finished", async () => {
    const applied = await imports.resume(signal);
    if (applied !== undefined) logger.info(applied, "finished an import that was left behind");
    return false;
  });
  const clearing = repeat(
    clearEveryMs,
    "staged feeds that were left behind could not be removed",
    async () => {
      await imports.clearStaging();
      return false;
    },
  );
  const pulls = new Set<Promise<void>>();
  const pulling =
    config.feeds.length === 0
      ? Promise.resolve()
      : repeat(pullEveryMs, "a scheduled feed could not be imported", async () => {
          if (pulls.size >= maxPullsAtOnce) return false;
          return startPull(imports, metrics, logger, pulls, signal);
        });
  bus.replyToPoll("metrics", () => metrics.read());
  return {
    async stop() {
      stopping.abort();
      await Promise.all([resuming, clearing, pulling]);
      await Promise.all(pulls);
      await imports.close();
      await stores.close();
    },
  };
};

/** Whether a feed was due: its import continues, and another one may be due. */
function startPull(
  imports: OwnImports,
  metrics: FeedMetrics,
  logger: Logger,
  pulls: Set<Promise<void>>,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const pull = pullOne(imports, metrics, logger, () => resolve(true), signal)
      .then(
        () => resolve(false),
        (error: unknown) => {
          resolve(false);
          if (!signal.aborted) logger.error({ err: error }, "a scheduled feed could not be imported");
        },
      )
      .finally(() => pulls.delete(pull));
    pulls.add(pull);
  });
}

async function pullOne(
  imports: OwnImports,
  metrics: FeedMetrics,
  logger: Logger,
  onTaken: () => void,
  signal: AbortSignal,
): Promise<void> {
  const pulled = await imports.pull(signal, onTaken);
  if (pulled === undefined) return;
  const { source, url } = pulled.feed;
  const feed = { source, feed: redactUrl(url) };
  if ("error" in pulled) {
    metrics.count(pulled.feed, "failed");
    const retryAt = new Date(pulled.nextAtMs).toISOString();
    logger.warn({ ...feed, err: pulled.error, retryAt }, "a scheduled feed could not be imported");
    return;
  }
  const { summary, rejectsFile } = pulled;
  metrics.count(pulled.feed, summary.notModified ? "unchanged" : "imported");
  const { feed: _, source: __, version: ___, ...counts } = summary;
  if (!summary.notModified) logger.info({ ...feed, ...counts, rejectsFile }, "imported a scheduled feed");
}

interface FeedMetrics {
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
function createFeedMetrics({ list }: Pick<FeedSchedule, "list">): FeedMetrics {
  const registry = new Registry();
  const registers = [registry];
  const names = ["source", "feed"];
  const labels = ({ source, url }: { source: string; url: string }) => ({ source, feed: redactUrl(url) });
  const pulls = new Counter({
    name: "product_search_feed_pulls_total",
    help: "Scheduled fetches of feeds, by outcome.",
    labelNames: [...names, "outcome"],
    registers,
  });
  const failures = new Gauge({
    name: "product_search_feed_failures",
    help: "Failed fetches of the feed in a row.",
    labelNames: names,
    registers,
  });
  const succeeded = new Gauge({
    name: "product_search_feed_last_success_timestamp_seconds",
    help: "When the feed was fetched last without an error; 0 if never.",
    labelNames: names,
    registers,
  });
  const period = new Gauge({
    name: "product_search_feed_period_seconds",
    help: "How often the feed is to be fetched.",
    labelNames: names,
    registers,
  });
  const lastImport = new Gauge({
    name: "product_search_feed_last_import",
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
