import { type ProductSource, productSources } from "@product-search/core/domain/product.ts";
import type { AbsentRule, ColumnMap, LeaseHolder } from "@product-search/core/ports/imports.ts";
import { type FeedReading, importFeed } from "@product-search/features/catalog-write/import/import-feed.ts";
import type { ImportStep } from "@product-search/features/catalog-write/import/import-summary.ts";
import { previewFeed } from "@product-search/features/catalog-write/import/preview-feed.ts";
import { discardImport } from "@product-search/features/catalog-write/import/roll-forward.ts";
import { isEncoding } from "@product-search/feeds/formats/choose-decoder.ts";
import { parseMappedFields, splitList } from "@product-search/feeds/formats/column-map.ts";
import { Command, InvalidArgumentError, Option } from "commander";
import { composeImport, createRejectsFile } from "../compose/import.ts";
import { composeStores } from "../compose/stores/stores.ts";
import { readEnvironment } from "../config.ts";
import { lowerPriority } from "../runtime/thread-priority.ts";
import { startTracing } from "../runtime/tracing/start-tracing.ts";
import { describeImport, describePreview, explainUnknownProducts } from "./support/describe-import.ts";
import { createProgressLine, duration, progressText } from "./support/output.ts";
import { stopSignal } from "./support/run-until-stopped.ts";

interface ImportCommandOptions {
  source: ProductSource;
  full?: boolean;
  removeAbsent?: boolean;
  removalLimit: boolean;
  encoding?: string;
  again?: boolean;
  store?: string;
  categorySeparator?: string;
  map?: ColumnMap["fields"] | false;
  attributes?: string[];
  site?: string;
  dryRun?: boolean;
  rejects?: string;
  json?: boolean;
  discard?: boolean;
}

export const command = new Command("import")
  .description(
    "import a product feed: Google Merchant XML, TSV or CSV, an export of Shopify or WooCommerce, any other table with --map, or JSON with native, Google's or OpenAI's names",
  )
  .argument(
    "[feed]",
    "a file, an http or https URL, or a shop such as shopify:https://shop.example; plain or compressed with gzip",
  )
  .addOption(
    new Option("--source <source>", "the source to import into")
      .choices(productSources)
      .makeOptionMandatory(),
  )
  .option(
    "--discard",
    "import nothing: give up an import into the source that was read but is not finished, as on a full disk",
  )
  .option(
    "--full",
    "the feed lists every product of the source: products that it does not list become out of stock",
  )
  .option(
    "--remove-absent",
    "with --full: delete products that the feed does not list, at most 20 % of those of the source",
  )
  .option("--no-removal-limit", "with --remove-absent: delete any number of products")
  .option("--encoding <name>", "encoding of the feed, such as latin1 (default: detected)", parseEncoding)
  .option("--again", "import the feed even if the server says that it has not changed since the last import")
  .option(
    "--store <name>",
    "store of products without one (default: the feed's title, or the host of the product URL)",
  )
  .option(
    "--category-separator <text>",
    "what stands between the levels of a category (default: >)",
    parseSeparator,
  )
  .option(
    "--map <fields>",
    'columns of a table with other names: title=Name,price="Retail Price"; saved with the source',
    parseMap,
  )
  .option("--no-map", "read the feed without a saved map, and forget those of the source")
  .option("--attributes <columns>", "columns of a table that become attributes: Colour,Size", parseColumns)
  .option(
    "--site <address>",
    "the shop's address, for an export without addresses of product pages: https://shop.example",
    parseSite,
  )
  .option("--dry-run", "show what would happen to the first rows, and change nothing")
  .option("--rejects <file>", "file for invalid rows (default: a file in DATA_DIR/imports)")
  .option("--json", "print the summary as JSON")
  .addHelpText(
    "after",
    `
Examples:
  pnpm api import products.jsonl --source catalog
  pnpm api import feed.xml.gz --source marketplace-a --full
  pnpm api import https://shop.example/feed.tsv --source catalog --json
  pnpm api import inventory.csv --source catalog
  pnpm api import products_export.csv --source catalog --site https://shop.example --dry-run
  pnpm api import list.csv --source catalog --map id=Code,title=Name,price="Retail Price" --attributes Colour,Size
  pnpm api import shopify:https://shop.example --source catalog --full
  pnpm api import woocommerce:https://shop.example --source catalog --full
  pnpm api import --discard --source catalog

The whole feed is read before any product changes: a feed that ends early changes nothing. If an import is interrupted
later, the next import or the running service finishes it, unless --discard gives it up. Invalid rows are listed with line, field and reason, and do
not change their products. If several rows have the same key, the last one is used. Names are cut at 500 characters,
descriptions at 10 000. The format is detected from the content. URLs on private networks need FETCH_ALLOW_NETWORKS.

An inventory feed has only the columns id, price, sale_price and availability: its rows change these fields of existing
products. If none of them exists, nothing changes and the status is 1. A row with deleted=true deletes its product. --remove-absent refuses a feed that lists less than 80 % of
the source's products, because it may be incomplete. docs/feeds.md has the rules.

Changes of price and stock send alerts. They have addresses below PUBLIC_URL for pages and images of this service, so set it, or HOST and
PORT, as for the service.`,
  )
  .action(async (feed: string | undefined, given: ImportCommandOptions) => {
    if (given.discard) {
      if (feed !== undefined) return command.error("--discard imports nothing: leave the feed out.");
      return discardUnfinished(given.source);
    }
    if (feed === undefined) return command.error("Name the feed: a file or a URL.");
    if (given.dryRun) return showFirstRows(feed, given);
    const { source, again, rejects, json } = given;
    const absent = readAbsent(given);
    const config = readEnvironment();
    lowerPriority();
    const stores = await composeStores(config);
    const deps = composeImport(config, stores);
    const stopTracing = config.tracing && (await startTracing(config.tracing, "import command"));
    const stop = stopSignal();
    const report = createImportReport();
    const rejectsFile = createRejectsFile(
      rejects ?? { folder: deps.importsFolder, source, atMs: Date.now() },
    );
    const startedAt = performance.now();
    try {
      const options = {
        feed,
        source,
        absent,
        again: again === true,
        ...readingOf(given),
      };
      const observer = { onStep: report.step, onReject: rejectsFile.add, onDiscarded: report.warn };
      const summary = await importFeed(deps, options, observer, stop.signal);
      report.end();
      const seconds = Math.round(performance.now() - startedAt) / 1000;
      const rejectsPath = rejectsFile.close();
      console.log(
        json
          ? JSON.stringify({
              ...summary,
              deleted: summary.removed + summary.removedAbsent,
              seconds,
              rejectsFile: rejectsPath ?? null,
            })
          : describeImport(summary, seconds),
      );
      if (rejectsPath !== undefined) console.error(`Invalid rows: ${rejectsPath}`);
      const problem = explainUnknownProducts(summary);
      if (problem !== undefined) {
        console.error(problem);
        process.exitCode = 1;
      }
    } catch (error) {
      report.end();
      const rejectsPath = rejectsFile.close();
      if (rejectsPath !== undefined) console.error(`Invalid rows: ${rejectsPath}`);
      throw stop.signal.aborted
        ? new Error(
            "Interrupted. If the whole feed was read, the next import or the service finishes it. Otherwise nothing has changed.",
          )
        : error;
    } finally {
      await deps.close();
      await stores.close();
      // A collector that does not respond must not fail the import.
      await stopTracing?.().catch(() => {});
      stop.end();
    }
  });

/** How many rows --dry-run shows. */
const shownRows = 10;

async function showFirstRows(feed: string, given: ImportCommandOptions): Promise<void> {
  const config = readEnvironment();
  const stores = await composeStores(config);
  const deps = composeImport(config, stores);
  const stop = stopSignal();
  try {
    const options = { feed, source: given.source, limit: shownRows, ...readingOf(given) };
    const preview = await previewFeed(deps, options, stop.signal);
    console.log(given.json ? JSON.stringify(preview) : describePreview(preview, config.currency));
  } finally {
    await deps.close();
    await stores.close();
    stop.end();
  }
}

function readingOf({
  store,
  categorySeparator,
  encoding,
  site,
  map,
  attributes,
}: ImportCommandOptions): FeedReading {
  return {
    ...(store !== undefined && { storeName: store }),
    ...(categorySeparator !== undefined && { categorySeparator }),
    ...(encoding !== undefined && { encoding }),
    ...(site !== undefined && { site }),
    ...(map === false
      ? { map: "none" }
      : (map ?? attributes) !== undefined && { map: { fields: map ?? {}, attributes: attributes ?? [] } }),
  };
}

async function discardUnfinished(source: ProductSource): Promise<void> {
  const config = readEnvironment();
  const stores = await composeStores(config);
  const deps = composeImport(config, stores);
  const stop = stopSignal();
  try {
    const onWait = ({ label }: LeaseHolder) =>
      console.error(`Waiting for an import that is running: ${label}`);
    const discarded = await discardImport(deps, source, onWait, stop.signal);
    console.log(
      discarded === undefined
        ? `There is no unfinished import into ${source}.`
        : `The unfinished import into ${source} was discarded. Products that it had changed stay changed: import a feed again.`,
    );
  } finally {
    await deps.close();
    await stores.close();
    stop.end();
  }
}

/** How --full, --remove-absent and --no-removal-limit apply to absent products. */
function readAbsent({
  full,
  removeAbsent,
  removalLimit,
}: {
  full?: boolean;
  removeAbsent?: boolean;
  removalLimit: boolean;
}): AbsentRule {
  if (removeAbsent && !full) {
    return command.error("--remove-absent needs --full: the feed must list every product of the source.");
  }
  if (!removalLimit && !removeAbsent) return command.error("--no-removal-limit needs --remove-absent.");
  if (!removalLimit) return "remove_without_limit";
  return removeAbsent ? "remove" : full ? "out_of_stock" : "keep";
}

function parseEncoding(name: string): string {
  if (isEncoding(name)) return name;
  throw new InvalidArgumentError("Write the name of an encoding, such as utf-8, latin1 or utf-16le.");
}

function parseMap(text: string): ColumnMap["fields"] {
  const parsed = parseMappedFields(text);
  if ("fault" in parsed) throw new InvalidArgumentError(parsed.fault);
  return parsed.fields;
}

function parseColumns(text: string): string[] {
  const columns = splitList(text);
  if (columns.length > 0) return columns;
  throw new InvalidArgumentError("Write names of columns, such as Colour,Size.");
}

function parseSite(text: string): string {
  if (URL.canParse(text) && /^https?:/i.test(text)) return text;
  throw new InvalidArgumentError("Write an address, such as https://shop.example.");
}

function parseSeparator(text: string): string {
  if (text.trim() !== "") return text.trim();
  throw new InvalidArgumentError("Write what stands between two levels, such as >, / or |.");
}

/** Shows the steps of an import on standard error, with rate and time left. */
function createImportReport() {
  const line = createProgressLine();
  let phase: ImportStep["phase"] | undefined;
  let phaseStartedAt = 0;
  return {
    step(step: ImportStep): void {
      if (step.phase !== phase) {
        line.end();
        phase = step.phase;
        phaseStartedAt = performance.now();
      }
      line.show(() => describeStep(step, performance.now() - phaseStartedAt));
    },
    warn({ message }: Error): void {
      line.end();
      console.error(message);
    },
    end: () => line.end(),
  };
}

function describeStep({ phase, done, total, label }: ImportStep, elapsedMs: number): string {
  switch (phase) {
    case "waiting":
      return `Waiting for another import to finish: ${label ?? "unknown"} (${duration(elapsedMs / 1000)})`;
    case "reading":
      return `Reading: ${bytesText(done, total, elapsedMs)}`;
    case "sorting":
      return "Sorting";
    case "finishing":
      return `Finishing an interrupted import: ${progressText(done, total, elapsedMs)}`;
    case "applying":
      return `Applying: ${progressText(done, total, elapsedMs)}`;
  }
}

function bytesText(done: number, total: number | undefined, elapsedMs: number): string {
  const [bytes, unit] = (total ?? done) < 1e6 ? [1e3, " kB"] : [1e6, " MB"];
  const amount = (value: number) => Math.round((value / bytes) * 10) / 10;
  return progressText(amount(done), total && amount(total), elapsedMs, unit);
}
