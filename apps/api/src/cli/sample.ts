import { loadSample } from "@product-search/features/catalog-write/load-sample.ts";
import { recordStoreCurrency } from "@product-search/features/catalog-write/store-currency.ts";
import { Command, InvalidArgumentError } from "commander";
import { defaultSampleSize, sampleProductInputs } from "../compose/sample-products.ts";
import { composeStores } from "../compose/stores/stores.ts";
import { readEnvironment } from "../config.ts";
import { count, createProgressLine, progressText } from "./support/output.ts";

const maxSampleSize = 10_000_000;

export const command = new Command("sample")
  .description("load the sample catalog: fictional products for the catalog and both marketplaces")
  .option(
    "--products <number>",
    `number of products, at most ${count(maxSampleSize)}`,
    parseProducts,
    defaultSampleSize,
  )
  .option("--json", "print the result as JSON")
  .addHelpText(
    "after",
    `
Examples:
  pnpm api sample                       ${count(defaultSampleSize)} products
  pnpm api sample --products 100000     more products; above 5 000 they share images
  DATA_DIR=/tmp/trial pnpm api sample --products 1000000 --json

The same number always creates the same products: running the command again changes nothing, and a larger number adds
products. A service that runs with the same DATA_DIR finds them within a second.`,
  )
  .action(async (options: { products: number; json?: boolean }) => {
    const config = readEnvironment();
    const stores = await composeStores(config);
    const line = createProgressLine();
    const startedAt = performance.now();
    try {
      await recordStoreCurrency(stores.storeCurrency, config.currency);
      const products = sampleProductInputs(options.products, {
        currency: config.currency,
        nowMs: stores.clock.now(),
      });
      const result = await loadSample(stores, products, (loaded) =>
        line.show(() => `Loading: ${progressText(loaded, options.products, performance.now() - startedAt)}`),
      );
      line.end();
      const seconds = Math.round(performance.now() - startedAt) / 1000;
      console.log(
        options.json
          ? JSON.stringify({ ...result, seconds })
          : `${count(result.created)} products created, ${count(result.updated)} changed, ${count(result.unchanged)} unchanged, in ${seconds} s.`,
      );
    } finally {
      await stores.close();
    }
  });

function parseProducts(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > maxSampleSize)
    throw new InvalidArgumentError(`Write a whole number from 1 to ${maxSampleSize}.`);
  return number;
}
