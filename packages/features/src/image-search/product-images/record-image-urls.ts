import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { ProductImageStore } from "@product-search/core/ports/product-image-store.ts";

export interface RecordImageUrlsDeps {
  catalogStore: Pick<CatalogStore, "changesAfter" | "findByRowIds">;
  productImageStore: Pick<ProductImageStore, "notedSequence" | "note">;
}

/** Further images of a product are not described: they rarely add anything. */
export const maxImagesPerProduct = 10;
/** Small enough for a transaction of a few milliseconds. */
const changeBatchSize = 100;

/** Only the holder of the lease moves the position on, but a failover of the database can lose its last move. */
const positionTrustedMs = 10_000;

/**
 * Each call records the image URLs of the next changed products, and none for removed products; false if there are no
 * changes. Marketplaces are not searched by image.
 */
export function createImageUrlRecording(deps: RecordImageUrlsDeps): () => Promise<boolean> {
  const { catalogStore, productImageStore } = deps;
  let position = 0;
  let readAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    let changes = await catalogStore.changesAfter(position, changeBatchSize);
    const isTrusted = performance.now() < readAtMs + positionTrustedMs;
    if (changes.length === 0 && isTrusted) return false;
    const noted = await productImageStore.notedSequence();
    readAtMs = performance.now();
    if (noted !== position) {
      position = noted;
      changes = await catalogStore.changesAfter(position, changeBatchSize);
    }
    const last = changes.at(-1);
    if (last === undefined) return false;
    await recordImageUrls(deps, changes, last.sequence);
    position = last.sequence;
    return true;
  };
}

async function recordImageUrls(
  { catalogStore, productImageStore }: RecordImageUrlsDeps,
  changes: Awaited<ReturnType<CatalogStore["changesAfter"]>>,
  sequence: number,
): Promise<void> {
  const products = await catalogStore.findByRowIds(changes.map(({ rowId }) => rowId));
  const present = new Set(products.map(({ rowId }) => rowId));
  const removed = changes.filter(({ rowId }) => !present.has(rowId));
  await productImageStore.note(
    [
      ...removed.map(({ rowId }) => ({ rowId, addresses: [] })),
      ...products
        .filter(({ source }) => source === "catalog")
        .map(({ rowId, images }) => ({ rowId, addresses: images.slice(0, maxImagesPerProduct) })),
    ],
    sequence,
  );
}
