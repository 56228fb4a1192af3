import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type ProductSource, productSources } from "@product-search/core/domain/product.ts";
import { absoluteAddress } from "@product-search/core/domain/urls.ts";
import {
  createFeedWriter,
  type ExportFormat,
  exportFormats,
} from "@product-search/feeds/write/export-formats.ts";
import { Command, Option } from "commander";
import { composeExistingStores, type Stores } from "../compose/stores/stores.ts";
import { readEnvironment } from "../config.ts";
import { lowerPriority } from "../runtime/thread-priority.ts";
import { count, createProgressLine, progressText } from "./support/output.ts";
import { stopSignal } from "./support/run-until-stopped.ts";

interface ExportOptions {
  format: ExportFormat;
  source: ProductSource;
  out?: string;
  absolute?: boolean;
  json?: boolean;
}

/** All that is in memory at a time. */
const pageSize = 500;
/** A shorter export needs no progress. */
const quietMs = 2000;
/** More products that are left out are only counted. */
const maxNamed = 20;

export const command = new Command("export")
  .description("write all products of a source as a feed, which an import reads without a change")
  .addOption(
    new Option("--format <format>", "jsonl: native rows; google: Google Merchant XML; openai: JSON Lines")
      .choices(exportFormats)
      .makeOptionMandatory(),
  )
  .addOption(
    new Option("--source <source>", "the source to export").choices(productSources).default("catalog"),
  )
  .option(
    "--out <file>",
    "the file to write, which is replaced when all is written (default: standard output)",
  )
  .option("--absolute", "write addresses below PUBLIC_URL, as of the sample's images, whole and not as paths")
  .option("--json", "print the summary as JSON")
  .addHelpText(
    "after",
    `
Examples:
  pnpm api export --format jsonl --out products.jsonl
  pnpm api export --format jsonl --source marketplace-a | gzip > marketplace-a.jsonl.gz
  pnpm api export --format google --absolute --out feed.xml
  pnpm api export --format openai --absolute --out openai.jsonl

The export may run beside the service. It reads the products page by page: one that changes meanwhile is written as it was
or as it is. Price histories are not in it; pnpm api backup saves everything. The summary is on standard error unless
--out is given. If the format cannot hold a product, the export names it, writes the others and exits with 1.
docs/feeds.md describes the fields.`,
  )
  .action(async (options: ExportOptions) => {
    const config = readEnvironment();
    lowerPriority();
    const stores = await composeExistingStores(config);
    const stop = stopSignal();
    const line = createProgressLine();
    const startedAt = performance.now();
    const progress = { written: 0, leftOut: 0 };
    try {
      const currency = (await stores.storeCurrency.read()) ?? config.currency;
      const total = (await stores.catalogStore.countBySource())[options.source];
      const addressOf = (stored: string) =>
        options.absolute ? absoluteAddress(stored, config.publicUrl) : stored;
      const writer = createFeedWriter(options.format, currency, addressOf);
      const feed = feedOf(stores, writer, options.source, {
        onWritten(products) {
          progress.written += products;
          const elapsedMs = performance.now() - startedAt;
          if (elapsedMs > quietMs)
            line.show(() => `Exporting: ${progressText(progress.written, total, elapsedMs)}`);
        },
        onLeftOut(key, fault) {
          progress.leftOut += 1;
          if (progress.leftOut > maxNamed) return;
          line.end();
          console.error(`Left out: "${key}" ${fault}.`);
        },
      });
      const isRead =
        options.out === undefined
          ? await writeToOutput(feed, stop.signal)
          : await writeToFile(feed, options.out, stop.signal);
      line.end();
      if (isRead) printSummary(options, progress, performance.now() - startedAt);
      if (progress.leftOut > 0) process.exitCode = 1;
    } catch (error) {
      line.end();
      throw stop.signal.aborted ? new Error(interrupted(options)) : error;
    } finally {
      await stores.close();
      stop.end();
    }
  });

interface ExportObserver {
  onWritten(products: number): void;
  onLeftOut(key: string, fault: string): void;
}

async function* feedOf(
  { catalogStore }: Pick<Stores, "catalogStore">,
  writer: ReturnType<typeof createFeedWriter>,
  source: ProductSource,
  { onWritten, onLeftOut }: ExportObserver,
): AsyncGenerator<string> {
  if (writer.start !== "") yield writer.start;
  const last = await catalogStore.lastRowId();
  for (let after = 0; after < last; ) {
    const page = await catalogStore.scan(after, pageSize);
    after = page.at(-1)?.rowId ?? last;
    let products = 0;
    for (const product of page) {
      if (product.source !== source) continue;
      const written = writer.product(product);
      if ("fault" in written) onLeftOut(product.key, written.fault);
      else {
        products += 1;
        yield written.text;
      }
    }
    onWritten(products);
  }
  if (writer.end !== "") yield writer.end;
}

/** False if the reader, such as `head`, has closed the pipe: that is no failure, and nobody is left to tell. */
async function writeToOutput(feed: AsyncIterable<string>, signal: AbortSignal): Promise<boolean> {
  try {
    await pipeline(feed, process.stdout, { signal, end: false });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EPIPE") return false;
    throw error;
  }
}

/** Under another name until it is complete, so that nobody reads half of it. */
async function writeToFile(feed: AsyncIterable<string>, file: string, signal: AbortSignal): Promise<boolean> {
  const unfinished = join(dirname(file), `.${basename(file)}.${randomUUID()}.unfinished`);
  try {
    await pipeline(feed, createWriteStream(unfinished, { flags: "wx", flush: true }), { signal });
    await rename(unfinished, file);
    return true;
  } finally {
    await rm(unfinished, { force: true });
  }
}

function printSummary(
  { format, source, out, json }: ExportOptions,
  { written, leftOut }: { written: number; leftOut: number },
  elapsedMs: number,
): void {
  const seconds = Math.round(elapsedMs) / 1000;
  const others = leftOut === 0 ? "" : `, ${count(leftOut)} left out`;
  const summary = json
    ? JSON.stringify({ format, source, products: written, leftOut, seconds, file: out ?? null })
    : `${count(written)} products of ${source}${others}${out === undefined ? "" : `, in ${out}`}, in ${seconds} s.`;
  if (out === undefined) console.error(summary);
  else console.log(summary);
}

function interrupted({ out }: ExportOptions): string {
  return out === undefined
    ? "Interrupted: the output is not complete."
    : `Interrupted: ${out} is as it was before.`;
}
