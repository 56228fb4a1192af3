import { setTimeout } from "node:timers/promises";
import type { ProductInput } from "../../domain/product.ts";
import type { ApplyOutcome } from "../../ports/catalog-store.ts";

/** A transaction aims at this; an odd one may take longer. */
const targetMs = 4;
/** The store is left alone for so many times the length of the transaction before it: see decision 0051. */
const pauseFactor = 1.5;
const firstBatch = 50;
const largestBatch = 1000;

export type ApplyBatch = (inputs: readonly ProductInput[]) => Promise<readonly ApplyOutcome[]>;

/**
 * Applies in transactions so short, and with pauses so long, that whoever else writes to the store need not wait.
 * Yields after each batch what became of it.
 */
export async function* applyPaced(
  inputs: Iterable<ProductInput>,
  apply: ApplyBatch,
): AsyncGenerator<readonly ApplyOutcome[]> {
  let size = firstBatch;
  let batch: ProductInput[] = [];
  let readyAt = 0;
  const flush = async () => {
    // What it took to make the batch counts as a part of the pause.
    const pauseMs = readyAt - performance.now();
    if (pauseMs > 0) await setTimeout(Math.ceil(pauseMs));
    const startedAt = performance.now();
    const outcomes = await apply(batch);
    const tookMs = performance.now() - startedAt;
    readyAt = performance.now() + tookMs * pauseFactor;
    size = nextSize(batch.length, tookMs);
    batch = [];
    return outcomes;
  };
  for (const input of inputs) {
    batch.push(input);
    if (batch.length >= size) yield await flush();
  }
  if (batch.length > 0) yield await flush();
}

/** Halfway to what would have taken the time aimed at: one slow batch must not decide alone. */
function nextSize(size: number, tookMs: number): number {
  const ideal = (size * targetMs) / Math.max(tookMs, 0.1);
  return Math.round(Math.min(largestBatch, Math.max(1, (size + ideal) / 2)));
}
