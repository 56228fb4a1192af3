import type { StagingFile } from "@product-search/core/ports/staging.ts";
import {
  type FaultyRecord,
  FeedError,
  type FeedKind,
  type FeedRow,
} from "@product-search/feeds/formats/feed-row.ts";
import { type ReadFeedOptions, readFeed } from "@product-search/feeds/formats/read-feed.ts";
import { kindOfMerchantRow, readMerchantRow } from "@product-search/feeds/rows/merchant-row.ts";
import { keyOfNativeRow, kindOfNativeRow, readNativeRow } from "@product-search/feeds/rows/native-row.ts";
import { type ReadRow, type RowContext, readableKey } from "@product-search/feeds/rows/row-checks.ts";
import type { StagingRoom } from "./disk-room.ts";
import type { ImportSummary, Rejected } from "./import-summary.ts";

export interface StageFeedOptions extends RowContext {
  /** The name of the encoding; without it, the encoding is detected. */
  encoding?: string;
}

/** Reads the whole feed into the staging file. Throws if it is not a feed, ends early, or has no valid row. */
export async function stageFeed(
  chunks: AsyncIterable<Uint8Array>,
  staging: StagingFile,
  { encoding, ...context }: StageFeedOptions,
  summary: ImportSummary,
  onReject: (rejected: Rejected) => void,
  room: StagingRoom,
): Promise<void> {
  const options: ReadFeedOptions = {
    ...(encoding !== undefined && { encoding }),
    onEncoding(name) {
      summary.encoding = name;
    },
  };
  const read = createRowReader(context, summary);
  for await (const rows of readFeed(chunks, options)) {
    for (const row of rows) {
      summary.rows += 1;
      const result = read(row);
      if ("change" in result) {
        staging.add(result.change);
        continue;
      }
      summary.refused += 1;
      if (result.key !== undefined) staging.addSeen(context.source, result.key);
      onReject({ line: row.line, ...(result.key !== undefined && { key: result.key }), ...result.fault });
    }
    await room.check();
  }
  if (summary.rows === 0) throw new FeedError("The feed contains no products.");
  if (summary.refused === summary.rows) throw new FeedError("All rows of the feed are invalid.");
}

/** Once a feed has had a whole product, a row without a name is one that lacks its name, and is refused. */
function createRowReader(context: RowContext, summary: { kind: FeedKind }): (row: FeedRow) => ReadRow {
  summary.kind = "inventory";
  return (row) => {
    if ("fault" in row) return { fault: row.fault, ...keyOf(row.record, context) };
    if (kindOf(row) === "products") summary.kind = "products";
    return readAs(row, summary.kind, context);
  };
}

/** So that an invalid row counts as listed, and can be found in the shop's own system. */
function keyOf(record: FaultyRecord | undefined, context: RowContext): { key?: string } {
  if (record === undefined) return {};
  const written = "own" in record ? keyOfNativeRow(record.own, context) : record.merchant.get("id")?.[0];
  return readableKey(written);
}

type GoodRow = Exclude<FeedRow, { fault: unknown }>;

/** A table is recognised by its header, other formats by the fields of the row. */
function kindOf(row: GoodRow): FeedKind {
  if ("own" in row) return kindOfNativeRow(row.own);
  return row.kind ?? kindOfMerchantRow(row.merchant);
}

function readAs(row: GoodRow, kind: FeedKind, context: RowContext): ReadRow {
  if ("own" in row) return readNativeRow(row.own, kind, context);
  const storeName = context.storeName ?? row.storeName;
  return readMerchantRow(row.merchant, kind, storeName === undefined ? context : { ...context, storeName });
}
