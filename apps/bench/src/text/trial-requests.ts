import { mixedQueries } from "./mixed-queries.ts";

/** The paths of this many mixed queries to the trial search. */
export function trialRequests({ pathname }: URL, count: number, products: number): string[] {
  return mixedQueries(count, products, 0).map(({ query }) => {
    const { minPriceMinor: min, maxPriceMinor: max } = query.filters ?? {};
    const parameters = new URLSearchParams({ q: query.text, sort: query.sort ?? "relevance" });
    if (min !== undefined && max !== undefined) parameters.set("priceRange", `[${min / 100},${max / 100}]`);
    return `${pathname}/search/trial?${parameters}`;
  });
}
