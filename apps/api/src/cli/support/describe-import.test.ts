import type { FeedState } from "@product-search/core/ports/imports.ts";
import { emptySummary } from "@product-search/features/catalog-write/import/import-summary.ts";
import { expect, test } from "vitest";
import { describeFeed, explainUnknownProducts } from "./describe-import.ts";

const minuteMs = 60_000;
const start = Date.UTC(2026, 10, 22, 12);
const result = {
  notModified: false,
  rows: 1200,
  refused: 1,
  duplicates: 2,
  created: 0,
  updated: 1190,
  unchanged: 0,
  failed: 0,
  removed: 0,
  notFound: 7,
  outdated: 0,
  outOfStock: 0,
};
const stock: FeedState = {
  source: "catalog",
  url: "https://shop.example/stock.csv?token=hidden",
  periodMs: 5 * minuteMs,
  absent: "keep",
  nextAtMs: start + 5 * minuteMs,
  failures: 0,
  attemptedAtMs: start,
  succeededAtMs: start,
  result,
};
const feed = "https://shop.example/stock.csv?…";

test("a scheduled feed is described with every row of its last import", () => {
  expect(describeFeed(stock, feed).split("\n")).toEqual([
    "catalog https://shop.example/stock.csv?…",
    "  every 5 minutes; products that it does not list do not change",
    "  last import at 2026-11-22 12:00:00 UTC: 1 200 rows: 0 new, 1 190 changed, 0 unchanged, 7 of products that do not exist, 2 duplicates, 1 invalid row.",
    "  next fetch at 2026-11-22 12:05:00 UTC",
  ]);
});

test("an unchanged feed, a failing one and a new one are told apart", () => {
  expect(describeFeed({ ...stock, result: { ...result, notModified: true } }, feed)).toContain(
    "12:00:00 UTC: the feed has not changed since an import of 1 200 rows",
  );
  const failing = { ...stock, failures: 3, error: "status 503", attemptedAtMs: start + minuteMs };
  expect(describeFeed(failing, feed)).toContain(
    "failed 3 times in a row, last at 2026-11-22 12:01:00 UTC: status 503",
  );
  const { result: _, succeededAtMs, attemptedAtMs, ...fresh } = stock;
  expect(describeFeed({ ...fresh, periodMs: minuteMs, absent: "remove" }, feed).split("\n")).toEqual([
    "catalog https://shop.example/stock.csv?…",
    "  every minute; products that it does not list are deleted, at most 20 % of the source",
    "  next fetch at 2026-11-22 12:05:00 UTC",
  ]);
});

test("an import whose products are all unknown is explained, any other one is not", () => {
  const inventory = { ...emptySummary("marketplace-a", "stock.csv"), rows: 3, refused: 1, notFound: 2 };
  expect(explainUnknownProducts(inventory)).toMatch(
    /none of its products exists in marketplace-a.*title, link/,
  );
  expect(explainUnknownProducts({ ...inventory, notFound: 0 })).toBeUndefined();
  for (const outcome of ["created", "updated", "unchanged", "failed", "removed"] as const)
    expect(explainUnknownProducts({ ...inventory, [outcome]: 1 })).toBeUndefined();
});
