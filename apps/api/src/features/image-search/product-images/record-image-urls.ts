import type { CatalogStore } from "../../../ports/catalog-store.ts";
import type { ProductImageStore } from "../../../ports/product-image-store.ts";

export interface RecordImageUrlsDeps {
  catalogStore: Pick<CatalogStore, "changesAfter" | "findByRowIds">;
  productImageStore: Pick<ProductImageStore, "notedSequence" | "note">;
}

/** Further images of a product are not described: they rarely add anything. */
export const maxImagesPerProduct = 10;
/** Small enough for a transaction of a few milliseconds. */
const changeBatchSize = 100;

/**
 * Records the image URLs of the next changed products, and none for removed products; false if there are no changes.
 * Marketplaces are not searched by image.
 */
export async function recordImageUrls({
  catalogStore,
  productImageStore,
}: RecordImageUrlsDeps): Promise<boolean> {
  const changes = await catalogStore.changesAfter(await productImageStore.notedSequence(), changeBatchSize);
  const last = changes.at(-1);
  if (last === undefined) return false;
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
    last.sequence,
  );
  return true;
}
