import { assertPeriod, readTime } from "@product-search/core/domain/feed-values.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type {
  ClickedProduct,
  DayTotals,
  HourRange,
  InsightKind,
  InsightStore,
  QueryInsight,
} from "@product-search/core/ports/insights.ts";
import type { SearchDay, SearchInsight, SearchInsightsResponse } from "@product-search/types";

export interface SearchInsightsDeps {
  insightStore: Pick<InsightStore, "rank" | "totals" | "clickedProducts">;
  clock: Clock;
}

export interface InsightsQuery {
  kind?: InsightKind;
  from?: string;
  to?: string;
  limit?: number;
  interval?: "day";
}

const hourMs = 3600 * 1000;
const dayMs = 24 * hourMs;
const defaultDays = 30;
const maxDays = 366;

/** What is searched for in a period, with the totals and, by day, the series of the whole period. */
export async function searchInsights(
  { insightStore, clock }: SearchInsightsDeps,
  { kind = "top", from, to, limit = 50, interval }: InsightsQuery,
  signal: AbortSignal,
): Promise<SearchInsightsResponse> {
  const range = readPeriod(from, to, clock.now());
  const days = await insightStore.totals(range);
  const searches = await insightStore.rank(kind, range, limit, signal);
  const clicked = await insightStore.clickedProducts(
    searches.map(({ query }) => query),
    range,
  );
  return {
    status: "success",
    searches: searches.map((insight) => toInsight(insight, clicked.get(insight.query) ?? [])),
    totals: {
      searches: sum(days, "searches"),
      noResults: sum(days, "noResults"),
      clicks: sum(days, "clicks"),
    },
    ...(interval !== undefined && { series: toSeries(days, range) }),
  };
}

function readPeriod(from: string | undefined, to: string | undefined, nowMs: number): HourRange {
  const toMs = to === undefined ? nowMs : readTime("to", to);
  const fromMs = from === undefined ? toMs - defaultDays * dayMs : readTime("from", from);
  assertPeriod(
    { text: from ?? new Date(fromMs).toISOString(), ms: fromMs },
    { text: to ?? new Date(toMs).toISOString(), ms: toMs },
  );
  if (toMs - fromMs > maxDays * dayMs)
    throw new ApiError(
      "invalid_request",
      `from: is more than ${maxDays} days before to. Ask for a shorter period.`,
    );
  return { fromHour: Math.floor(fromMs / hourMs), toHour: Math.floor(toMs / hourMs) };
}

function toInsight(insight: QueryInsight, clicked: readonly ClickedProduct[]): SearchInsight {
  const { query, searches, results, clicks, positioned, positions } = insight;
  return {
    query,
    searches,
    results,
    clicks,
    clickRate: Math.round((clicks / searches) * 1000) / 1000,
    ...(positioned > 0 && { averagePosition: Math.round((positions / positioned) * 10) / 10 }),
    ...(clicked.length > 0 && { clickedProducts: clicked.map(({ id, ...rest }) => ({ _id: id, ...rest })) }),
  };
}

function toSeries(days: readonly DayTotals[], { fromHour, toHour }: HourRange): SearchDay[] {
  const firstDay = Math.floor(fromHour / 24);
  const count = Math.floor(toHour / 24) - firstDay + 1;
  return Array.from({ length: count }, (_, i) => {
    const day = firstDay + i;
    const { searches = 0, noResults = 0, clicks = 0 } = days.find((one) => one.day === day) ?? {};
    return { day: new Date(day * dayMs).toISOString().slice(0, 10), searches, noResults, clicks };
  });
}

function sum(days: readonly DayTotals[], column: "searches" | "noResults" | "clicks"): number {
  return days.reduce((total, day) => total + day[column], 0);
}
