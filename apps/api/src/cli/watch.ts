import { type ProductSource, productSources } from "@product-search/core/domain/product.ts";
import { pause } from "@product-search/core/mechanisms/abortable.ts";
import { importFeed } from "@product-search/features/catalog/import/import-feed.ts";
import { Command, InvalidArgumentError, Option } from "commander";
import { composeImport } from "../compose/import.ts";
import { createRejectsFile } from "../compose/rejects-file.ts";
import { composeStores } from "../compose/stores/stores.ts";
import { readEnvironment } from "../config.ts";
import { lowerPriority } from "../runtime/thread-priority.ts";
import { parseEncoding, readAbsent } from "./import.ts";
import { describeImport, explainUnknownProducts } from "./support/describe-import.ts";
import { stopSignal } from "./support/stop-signal.ts";

interface WatchCommandOptions {
  source: ProductSource;
  every: number;
  full?: boolean;
  removeAbsent?: boolean;
  removalLimit: boolean;
  encoding?: string;
  store?: string;
}

const maxMinutes = 10_080;

export const command = new Command("watch")
  .description("import a feed repeatedly until the command is stopped")
  .argument("<feed>", "an http or https URL, or a file")
  .addOption(
    new Option("--source <source>", "the source to import into")
      .choices(productSources)
      .makeOptionMandatory(),
  )
  .requiredOption("--every <minutes>", "minutes between the starts of two imports, 1 to 10 080", parseMinutes)
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
  .option("--store <name>", "store of products without one")
  .addHelpText(
    "after",
    `
Examples:
  pnpm api watch https://shop.example/feed.xml --source catalog --every 30
  pnpm api watch https://market.example/all.tsv.gz --source marketplace-a --every 60 --full

If the server sends ETag or Last-Modified, an unchanged feed is not imported again. After an error, the command tries
again at the next interval.`,
  )
  .action(async (feed: string, given: WatchCommandOptions) => {
    const { source, every, store, encoding } = given;
    const absent = readAbsent(given);
    const config = readEnvironment();
    lowerPriority();
    const stores = await composeStores(config);
    const deps = composeImport(config, stores);
    const stop = stopSignal();
    const options = {
      feed,
      source,
      absent,
      ...(store !== undefined && { storeName: store }),
      ...(encoding !== undefined && { encoding }),
    };
    const importOnce = async () => {
      const startedAt = performance.now();
      const rejectsFile = createRejectsFile({ folder: deps.importsFolder, source, atMs: Date.now() });
      try {
        const onDiscarded = ({ message }: Error) => log(message);
        const observer = { onStep: () => {}, onReject: rejectsFile.add, onDiscarded };
        const summary = await importFeed(deps, options, observer, stop.signal);
        log(describeImport(summary, Math.round(performance.now() - startedAt) / 1000));
        const problem = explainUnknownProducts(summary);
        if (problem !== undefined) log(problem);
      } catch (error) {
        if (!stop.signal.aborted) log(`Failed: ${error instanceof Error ? error.message : String(error)}`);
      } finally {
        const rejectsPath = rejectsFile.close();
        if (rejectsPath !== undefined) log(`Invalid rows: ${rejectsPath}`);
      }
    };
    try {
      while (!stop.signal.aborted) {
        const next = pause(every * 60_000, stop.signal);
        await importOnce();
        await next;
      }
    } finally {
      await deps.close();
      await stores.close();
      stop.end();
    }
  });

function log(text: string): void {
  console.error(`${new Date().toISOString()} ${text}`);
}

function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (!(minutes >= 1 && minutes <= maxMinutes)) {
    throw new InvalidArgumentError(`Write a number of minutes from 1 to ${maxMinutes}.`);
  }
  return minutes;
}
