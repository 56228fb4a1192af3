import { redactUrl } from "@product-search/core/domain/redact-url.ts";
import { pause } from "@product-search/core/mechanisms/abortable.ts";
import type { Logger } from "pino";
import { composeOwnImports, type OwnImports } from "../../compose/import.ts";
import { composeStores } from "../../compose/stores/stores.ts";
import type { Run } from "../role.ts";
import { createFeedMetrics, type FeedMetrics } from "./feed-metrics.ts";

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
