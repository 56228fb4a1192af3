import { redactUrl } from "@product-search/core/domain/urls.ts";
import type { FeedState } from "@product-search/core/ports/imports.ts";
import { Command } from "commander";
import { describeFeed } from "./support/describe-import.ts";
import { withStores } from "./support/store-command.ts";

export const command = new Command("feeds")
  .description("list the feeds in FEEDS with the result of their last import")
  .option("--json", "print JSON")
  .addHelpText(
    "after",
    `
\`pnpm api serve\` imports the feeds in FEEDS by itself. URLs are shown without their query.

Examples:
  FEEDS="catalog https://shop.example/feed.xml every 30m full" pnpm api serve
  pnpm api feeds`,
  )
  .action(async (options: { json?: boolean }) => {
    await withStores(async (stores) => {
      const feeds = await stores.feedSchedule.list();
      if (options.json) console.log(JSON.stringify(feeds.map(toRow)));
      else if (feeds.length === 0) console.log("No feeds. Set FEEDS and start the service.");
      else console.log(feeds.map((feed) => describeFeed(feed, redactUrl(feed.url))).join("\n"));
    });
  });

function toRow({ source, url, periodMs, absent, nextAtMs, failures, error, result, ...times }: FeedState) {
  return {
    source,
    feed: redactUrl(url),
    everyMinutes: periodMs / 60_000,
    absent,
    next: toTime(nextAtMs),
    lastAttempt: toTime(times.attemptedAtMs),
    lastSuccess: toTime(times.succeededAtMs),
    failures,
    error: error ?? null,
    result: result ?? null,
  };
}

function toTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
