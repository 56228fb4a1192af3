import { setTimeout } from "node:timers/promises";

/** A transaction aims at this; an odd one may take longer. */
const targetMs = 8;
/** The store is left alone for so many times the length of the transaction before it: see decision 0051. */
const pauseFactor = 0.5;
/** A transaction that was held up by a busy machine must not hold up the import for ever. */
const maxPauseMs = 10;
const minBatchSize = 50;
const maxBatchSize = 1000;

/**
 * Applies items in transactions so short, and with pauses so long, that whoever else writes to the store need not
 * wait. Yields after each batch what became of it.
 */
export async function* applyPaced<Item, Outcome>(
  items: Iterable<Item> | AsyncIterable<Item>,
  apply: (batch: readonly Item[]) => Promise<readonly Outcome[]>,
): AsyncGenerator<readonly Outcome[]> {
  let size = minBatchSize;
  let batch: Item[] = [];
  let readyAt = 0;
  const flush = async () => {
    // What it took to make the batch counts as a part of the pause.
    const pauseMs = readyAt - performance.now();
    if (pauseMs > 0) await setTimeout(Math.ceil(pauseMs));
    const startedAt = performance.now();
    const outcomes = await apply(batch);
    const tookMs = performance.now() - startedAt;
    readyAt = performance.now() + Math.min(maxPauseMs, tookMs * pauseFactor);
    size = nextSize(batch.length, tookMs);
    batch = [];
    return outcomes;
  };
  for await (const item of items) {
    batch.push(item);
    if (batch.length >= size) yield await flush();
  }
  if (batch.length > 0) yield await flush();
}

/** Halfway to what would have taken the time aimed at: one slow batch must not decide alone. */
function nextSize(size: number, tookMs: number): number {
  const ideal = (size * targetMs) / Math.max(tookMs, 0.1);
  return Math.round(Math.min(maxBatchSize, Math.max(minBatchSize, (size + ideal) / 2)));
}
