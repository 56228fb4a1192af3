import { Command, Option } from "commander";
import { composeImport } from "../compose/import.ts";
import { composeStores } from "../compose/stores.ts";
import { readConfig } from "../config.ts";
import { type ProductSource, productSources } from "../domain/product.ts";
import { importFeed } from "../features/catalog/import/import-feed.ts";
import type { ImportSummary } from "../features/catalog/import/import-summary.ts";
import { lowerPriority } from "../runtime/thread-priority.ts";
import { createImportReport } from "./import-report.ts";
import { count } from "./progress-line.ts";
import { createRejectsFile } from "./rejects-file.ts";
import { stopSignal } from "./stop-signal.ts";

interface ImportCommandOptions {
  source: ProductSource;
  full?: boolean;
  again?: boolean;
  store?: string;
  rejects?: string;
  json?: boolean;
}

export const command = new Command("import")
  .description(
    "import a product feed: Google Merchant XML, TSV or CSV, or JSON Lines of our own product shape",
  )
  .argument("<feed>", "a file, or an http or https address; plain or gzipped")
  .addOption(
    new Option("--source <source>", "what it is imported into").choices(productSources).makeOptionMandatory(),
  )
  .option("--full", "the feed names every product of the source: absent ones become out of stock")
  .option("--again", "read it even when the server says that it has not changed since the last import")
  .option(
    "--store <name>",
    "the store of products that name none (else the feed's title, or the host of the product)",
  )
  .option("--rejects <file>", "where refused rows are written (else into DATA_DIR/imports)")
  .option("--json", "print the summary as JSON")
  .addHelpText(
    "after",
    `
Examples:
  pnpm api import products.jsonl --source catalog
  pnpm api import feed.xml.gz --source marketplace-a --full
  pnpm api import https://shop.example/feed.tsv --source marketplace-b --json

The feed is read whole before anything changes: one that breaks off changes nothing. An import that is interrupted
later is finished by the next import or by the running service. Refused rows are listed with line, field and reason
and leave their products as they were. Of several rows with one key the last counts. Names over 500 characters and
descriptions over 10 000 are cut.
The format is told by the content. Addresses on private networks need FETCH_ALLOW_NETWORKS.`,
  )
  .action(async (feed: string, { source, full, again, store, rejects, json }: ImportCommandOptions) => {
    const config = readConfig(process.env);
    lowerPriority();
    const stores = await composeStores(config);
    const deps = composeImport(config, stores);
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
        isFull: full === true,
        again: again === true,
        ...(store !== undefined && { storeName: store }),
      };
      const observer = { onStep: report.step, onReject: rejectsFile.add };
      const summary = await importFeed(deps, options, observer, stop.signal);
      report.end();
      const seconds = Math.round(performance.now() - startedAt) / 1000;
      const rejectsPath = rejectsFile.close();
      console.log(
        json
          ? JSON.stringify({ ...summary, seconds, rejectsFile: rejectsPath ?? null })
          : describe(summary, seconds),
      );
      if (rejectsPath !== undefined) console.error(`Refused rows: ${rejectsPath}`);
    } catch (error) {
      report.end();
      const rejectsPath = rejectsFile.close();
      if (rejectsPath !== undefined) console.error(`Refused rows: ${rejectsPath}`);
      throw stop.signal.aborted
        ? new Error(
            "Interrupted. A feed that was read whole is finished by the next import or by the service; of another nothing was changed.",
          )
        : error;
    } finally {
      await deps.close();
      await stores.close();
      stop.end();
    }
  });

export function describe(summary: ImportSummary, seconds: number): string {
  if (summary.notModified) return "The feed has not changed since its last import: nothing was read.";
  const parts = [
    `${count(summary.created)} new`,
    `${count(summary.updated)} changed`,
    `${count(summary.unchanged)} as they were`,
    ...(summary.outOfStock > 0 ? [`${count(summary.outOfStock)} absent and now out of stock`] : []),
    ...(summary.failed > 0
      ? [`${count(summary.failed)} could not be applied (\`api dead-letters list\`)`]
      : []),
    ...(summary.refused > 0 ? [`${count(summary.refused)} rows refused`] : []),
  ];
  return `${count(summary.rows)} ${summary.rows === 1 ? "row" : "rows"} into ${summary.source} in ${seconds} s: ${parts.join(", ")}.`;
}
