import type { SearchInsightsResponse } from "@product-search/client";

type Insight = SearchInsightsResponse["searches"][number];

const maxListed = 500;

/** How often a text was searched for in the period before; undefined if it is not among those that are listed. */
export function formerSearches(query: string, before: SearchInsightsResponse): number | undefined {
  const count = before.searches.find((one) => one.query === query)?.searches;
  return count ?? (before.searches.length < maxListed ? 0 : undefined);
}

/** For spreadsheets. */
export function toCsv(searches: readonly Insight[], before: SearchInsightsResponse): string {
  const rows = searches.map((one) => [
    one.query,
    one.searches,
    formerSearches(one.query, before) ?? "",
    one.results,
    one.clicks,
    one.clickRate,
    one.averagePosition ?? "",
    (one.clickedProducts ?? []).map(({ name, clicks }) => `${name} (${clicks})`).join("; "),
  ]);
  return [columns, ...rows].map((row) => `${row.map(toCell).join(",")}\r\n`).join("");
}

const columns = [
  "Search",
  "Searches",
  "Searches before",
  "Results",
  "Clicks",
  "Clicks per search",
  "Position clicked",
  "Products clicked afterwards",
];

/** A text that begins like a formula would be one: spreadsheets compute what anybody has searched for. */
function toCell(value: string | number): string {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
