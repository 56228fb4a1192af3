import { giveWay } from "@product-search/core/mechanisms/fair-queue.ts";

/**
 * Where all writers share one lock. Between two batches it is free for as long as the next one is read and compared and
 * the last one reaches the disk. Others wait for one batch, and no less if the importer pauses as well.
 */
const sharedLockMs = 8;
const minBatchSize = 50;
const maxBatchSize = 1000;

/** Applies items in batches so short that other writers need not wait long. Yields the outcomes after each batch. */
export async function* applyInBatches<Item, Outcome>(
  items: Iterable<Item> | AsyncIterable<Item>,
  apply: (batch: readonly Item[]) => Promise<readonly Outcome[]>,
  batchMs = sharedLockMs,
): AsyncGenerator<readonly Outcome[]> {
  let size = minBatchSize;
  let batch: Item[] = [];
  const flush = async () => {
    await giveWay();
    const startedAt = performance.now();
    const outcomes = await apply(batch);
    size = nextSize(batch.length, performance.now() - startedAt, batchMs);
    batch = [];
    return outcomes;
  };
  for await (const item of items) {
    batch.push(item);
    if (batch.length >= size) yield await flush();
  }
  if (batch.length > 0) yield await flush();
}

/** Halfway to the size that would have taken the target time, so that one slow batch does not decide alone. */
function nextSize(size: number, tookMs: number, targetMs: number): number {
  const ideal = (size * targetMs) / Math.max(tookMs, 0.1);
  return Math.round(Math.min(maxBatchSize, Math.max(minBatchSize, (size + ideal) / 2)));
}
