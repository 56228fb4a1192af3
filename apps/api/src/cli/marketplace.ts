import { systemClock } from "@product-search/core/ports/clock.ts";
import { Command, InvalidArgumentError } from "commander";
import { type Trial, tryMarketplace } from "../compose/marketplace.ts";
import { readEnvironment } from "../config.ts";

export const command = new Command("marketplace")
  .description("test profiles of live marketplaces")
  .addHelpText(
    "after",
    `
Examples:
  pnpm api marketplace try packages/marketplaces/profiles/best-buy.yaml "running shoes"
  pnpm api marketplace try my-profile.yaml mug --count 50 --json

How to write a profile: docs/add-a-marketplace.md`,
  );

const defaultCount = 5;
const maxLines = 40;

command
  .command("try")
  .description(
    "send one search with a profile; show the request, the raw response, the products and dropped entries",
  )
  .argument("<profile>", "path of the profile")
  .argument("<query>", "the search text")
  .option("--count <products>", "number of products to request", parseCount, defaultCount)
  .option("--raw", "show the whole raw response")
  .option("--json", "print JSON")
  .action(async (file: string, text: string, options: { count: number; raw?: boolean; json?: boolean }) => {
    const config = readEnvironment();
    const trial = await tryMarketplace(config, systemClock, { file, text, count: options.count });
    if (options.json) console.log(JSON.stringify(trial, undefined, 2));
    else
      console.log(describeTrial(trial, options.raw ? Number.POSITIVE_INFINITY : maxLines, config.currency));
    if (trial.fault !== undefined) process.exitCode = 1;
  });

function parseCount(text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > 250) throw new InvalidArgumentError("Write a whole number from 1 to 250.");
  return count;
}

function describeTrial(
  { request, response, total, items, fault }: Trial,
  lines: number,
  currency: string,
): string {
  const parts: string[] = [];
  if (request) {
    const headers = Object.entries(request.headers).map(([name, value]) => `  ${name}: ${value}`);
    parts.push(["Request", `  GET ${request.url}`, ...headers].join("\n"));
  }
  if (response) {
    const title = `Response: HTTP ${response.status}, ${response.contentType ?? "no content type"}, ${response.bytes} bytes`;
    parts.push([title, ...shorten(pretty(response.text), lines)].join("\n"));
  }
  if (fault !== undefined) return [...parts, `No products: ${fault}`].join("\n\n");

  const mapped = items.filter(({ listing }) => listing);
  const title = `Products: ${mapped.length} of ${total ?? "an unknown number of"} matches`;
  parts.push([title, ...mapped.map((item) => describeListing(item, currency))].join("\n"));
  const dropped = items.flatMap(({ dropped, code }, at) =>
    dropped === undefined ? [] : [`  entry ${at + 1}${code === undefined ? "" : `, ${code}`}: ${dropped}`],
  );
  parts.push([`Dropped: ${dropped.length || "none"}`, ...dropped].join("\n"));
  return parts.join("\n\n");
}

function describeListing({ listing, notes }: Trial["items"][number], currency: string): string {
  if (!listing) return "";
  const fields = Object.entries({
    ...listing,
    priceMinor: `${listing.priceMinor} (${currency}, minor units)`,
  });
  return [
    `  ${listing.key}`,
    ...fields.map(([name, value]) => `    ${name}: ${Array.isArray(value) ? value.join(", ") : value}`),
    ...notes.map((note) => `    ignored: ${note}`),
  ].join("\n");
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

function shorten(text: string, most: number): string[] {
  const lines = text.split("\n");
  const shown = lines.slice(0, most).map((line) => `  ${line}`);
  return lines.length > most ? [...shown, `  … ${lines.length - most} more lines; --raw shows them`] : shown;
}
