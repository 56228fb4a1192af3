import { mixedQueries } from "./mixed-queries.ts";

/** Milliseconds of each query, in the order of the queries. */
export interface Timing {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly meanMs: number;
}

export function timingOf(milliseconds: readonly number[]): Timing {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const quantile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return {
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    meanMs: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
  };
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** The paths of this many mixed queries to the trial search. */
export function trialRequests({ pathname }: URL, count: number, products: number): string[] {
  return mixedQueries(count, products, 0).map(({ query }) => {
    const { minPriceMinor: min, maxPriceMinor: max } = query.filters ?? {};
    const parameters = new URLSearchParams({ q: query.text, sort: query.sort ?? "relevance" });
    if (min !== undefined && max !== undefined) parameters.set("priceRange", `[${min / 100},${max / 100}]`);
    return `${pathname}/search/trial?${parameters}`;
  });
}
