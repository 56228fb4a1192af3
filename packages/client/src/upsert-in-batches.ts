import type { ProductRow, UpsertProductsResponse } from "@product-search/types";
import type { WrittenProducts } from "./failures.ts";

/** As in the spec, and well below its limit for a body. */
const maxRows = 1000;
const maxBytes = 5_000_000;
const maxListed = 100;

/** Rows in the groups in which they are sent. */
async function* batchesOf(
  rows: Iterable<ProductRow> | AsyncIterable<ProductRow>,
): AsyncGenerator<ProductRow[], void> {
  const encoder = new TextEncoder();
  let batch: ProductRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const size = encoder.encode(JSON.stringify(row)).length;
    if (batch.length > 0 && (batch.length === maxRows || bytes + size > maxBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(row);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** Sends the rows one group after the other, and adds up the responses. An error says what was written before it. */
export async function upsertInBatches(
  rows: Iterable<ProductRow> | AsyncIterable<ProductRow>,
  send: (rows: ProductRow[], number: number) => Promise<UpsertProductsResponse>,
): Promise<UpsertProductsResponse> {
  const total: UpsertProductsResponse = {
    status: "success",
    created: 0,
    changed: 0,
    unchanged: 0,
    deleted: 0,
    notFound: 0,
    rejected: [],
    rejectedCount: 0,
  };
  let sent = 0;
  let number = 1;
  try {
    for await (const batch of batchesOf(rows)) {
      const response = await send(batch, number);
      for (const count of [
        "created",
        "changed",
        "unchanged",
        "deleted",
        "notFound",
        "rejectedCount",
      ] as const)
        total[count] += response[count];
      for (const rejected of response.rejected) {
        if (total.rejected.length < maxListed)
          total.rejected.push({ ...rejected, index: rejected.index + sent });
      }
      sent += batch.length;
      number += 1;
    }
  } catch (error) {
    // Also errors of the caller: an abort, or a stream of rows that breaks off.
    const written: WrittenProducts = { ...total, rows: sent };
    if (error instanceof Error && Object.isExtensible(error)) Object.assign(error, { written });
    throw error;
  }
  return total;
}
