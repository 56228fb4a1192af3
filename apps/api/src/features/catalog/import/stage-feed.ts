import type { StagingFile } from "../../../ports/staging.ts";
import { FeedError, type FeedRow } from "./feed-row.ts";
import type { ImportSummary, Rejected } from "./import-summary.ts";
import { readMerchantProduct } from "./merchant-product.ts";
import { readNativeProduct } from "./native-product.ts";
import { readFeed } from "./read-feed.ts";
import type { ReadProduct, RowContext } from "./row-checks.ts";

/** Reads the whole feed into the staging file. Throws when it is none, breaks off, or has not one good row. */
export async function stageFeed(
  chunks: AsyncIterable<Uint8Array>,
  staging: StagingFile,
  context: RowContext,
  summary: ImportSummary,
  onReject: (rejected: Rejected) => void,
): Promise<void> {
  for await (const rows of readFeed(chunks)) {
    for (const row of rows) {
      summary.rows += 1;
      const read = readRow(row, context);
      if ("input" in read) {
        staging.add(read.input);
        continue;
      }
      summary.refused += 1;
      if (read.key !== undefined) staging.addSeen(context.source, read.key);
      onReject({ line: row.line, ...(read.key !== undefined && { key: read.key }), ...read.fault });
    }
  }
  if (summary.rows === 0) throw new FeedError("The feed contains no products.");
  if (summary.refused === summary.rows) throw new FeedError("All rows of the feed are invalid.");
}

function readRow(row: FeedRow, context: RowContext): ReadProduct {
  if ("fault" in row) return { fault: row.fault };
  if ("own" in row) return readNativeProduct(row.own, context);
  return readMerchantProduct(
    row.merchant,
    row.storeName === undefined ? context : { ...context, storeName: context.storeName ?? row.storeName },
  );
}
