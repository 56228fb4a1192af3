import { setImmediate } from "node:timers/promises";
import {
  createIndexWriter,
  createSegmentBuilder,
  emptySnapshot,
  type IndexWriter,
  readSnapshot,
  snapshotOf,
} from "@product-search/text-index";
import { type CatalogLog, catalogIdentity } from "./catalog-log.ts";
import { toIndexDocument } from "./to-index-document.ts";

const scanBatch = 1000;

export interface OpenedIndexWriter {
  readonly writer: IndexWriter;
  /** Why the kept index was not used; undefined when it was. */
  readonly rebuildReason: string | undefined;
}

/** Starts from the index kept in the folder, or builds it from the catalog when there is none that can be believed. */
export async function openIndexWriter(log: CatalogLog, folder: string): Promise<OpenedIndexWriter> {
  const kept = readSnapshot(folder, await catalogIdentity(log));
  if (!kept.usable) return { writer: await rebuild(log), rebuildReason: kept.reason };
  if (kept.snapshot.sequence > (await log.lastSequence())) {
    return { writer: await rebuild(log), rebuildReason: "it is ahead of the catalog" };
  }
  return { writer: createIndexWriter(kept.snapshot), rebuildReason: undefined };
}

/** Builds from the whole catalog. Changes made meanwhile have later numbers and are followed afterwards. */
export async function rebuild(log: CatalogLog): Promise<IndexWriter> {
  const sequence = await log.lastSequence();
  const builder = createSegmentBuilder();
  let last = 0;
  for (;;) {
    const products = await log.scan(last, scanBatch);
    if (products.length === 0) break;
    for (const product of products) builder.add(toIndexDocument(product));
    last = products.at(-1)?.rowId ?? last;
    await setImmediate();
  }
  return createIndexWriter(
    builder.documents === 0 ? { ...emptySnapshot, sequence } : snapshotOf(builder.build(), sequence),
  );
}
