import { insightKinds } from "@product-search/core/ports/insights.ts";
import { searchInsights } from "@product-search/features/insights/search-insights.ts";
import type { SearchInsight } from "@product-search/types";
import { Command, Option } from "commander";
import { wholeNumber, withStores } from "./support/store-command.ts";
import { formatTable } from "./support/table.ts";

interface Options {
  kind: (typeof insightKinds)[number];
  from?: string;
  to?: string;
  limit: number;
  json?: boolean;
}

export const command = new Command("insights")
  .description("list what is searched for, what finds nothing, and what nobody clicks")
  .addOption(new Option("--kind <kind>", "what to list").choices(insightKinds).default("top"))
  .option("--from <time>", "beginning of the period, such as 2026-11-01; by default 30 days before its end")
  .option("--to <time>", "end of the period; by default now")
  .option("--limit <number>", "maximum number to list, up to 500", wholeNumber(1, 500), 50)
  .option("--json", "print JSON, as the API's searchInsights")
  .addHelpText(
    "after",
    `
Searches are counted while the service runs with ANALYTICS_DAYS. docs/merchandising.md shows how to repair a search.

Examples:
  pnpm api insights
  pnpm api insights --kind noResults
  pnpm api insights --kind noClicks --from 2026-11-01 --json`,
  )
  .action(async ({ json, ...query }: Options) => {
    await withStores(async (stores) => {
      const response = await searchInsights(
        stores,
        { ...query, ...(json && { interval: "day" as const }) },
        new AbortController().signal,
      );
      if (json) return console.log(JSON.stringify(response));
      const { searches, noResults, clicks } = response.totals;
      if (response.searches.length > 0) console.log(formatTable(response.searches, columns));
      console.log(`${searches} searches, ${noResults} without a result, ${clicks} clicks.`);
    });
  });

const columns = [
  { title: "QUERY", value: ({ query }: SearchInsight) => query },
  { title: "SEARCHES", value: ({ searches }: SearchInsight) => searches },
  { title: "RESULTS", value: ({ results }: SearchInsight) => results },
  { title: "CLICKS", value: ({ clicks }: SearchInsight) => clicks },
  { title: "CLICK RATE", value: ({ clickRate }: SearchInsight) => clickRate },
  { title: "POSITION", value: ({ averagePosition }: SearchInsight) => averagePosition },
];
