import { setTimeout } from "node:timers/promises";
import { giveWay } from "@product-search/core/mechanisms/fair-queue.ts";
import type { WritePace } from "@product-search/core/ports/catalog-store.ts";

/**
 * Where all writers share one lock. SQLite does not queue a waiting writer: it tries again after 1, 2, 5, 10, 15 … ms,
 * so an importer that commits and begins again at once is busy at almost every one of these moments. With these figures
 * other writers wait 12 ms at the 99th percentile; shorter batches halve that and double the time of the import.
 */
const sharedPace: WritePace = { targetMs: 8, pauseFactor: 0.5 };
/** If a busy machine delayed a transaction, the import must not pause for long. */
const maxPauseMs = 10;
const minBatchSize = 50;
const maxBatchSize = 1000;

/**
 * Applies items in transactions so short, and with pauses so long, that other writers to the database need not wait.
 * Yields the outcomes after each batch.
 */
export async function* applyPaced<Item, Outcome>(
  items: Iterable<Item> | AsyncIterable<Item>,
  apply: (batch: readonly Item[]) => Promise<readonly Outcome[]>,
  { targetMs, pauseFactor }: WritePace = sharedPace,
): AsyncGenerator<readonly Outcome[]> {
  let size = minBatchSize;
  let batch: Item[] = [];
  let readyAt = 0;
  const flush = async () => {
    // The time to collect the batch counts towards the pause.
    const pauseMs = readyAt - performance.now();
    if (pauseMs > 0) await setTimeout(Math.ceil(pauseMs));
    await giveWay();
    const startedAt = performance.now();
    const outcomes = await apply(batch);
    const tookMs = performance.now() - startedAt;
    readyAt = performance.now() + Math.min(maxPauseMs, tookMs * pauseFactor);
    size = nextSize(batch.length, tookMs, targetMs);
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
