import type { CatalogStore } from "../../../ports/catalog-store.ts";
import type { PictureStore } from "../../../ports/picture-store.ts";

export interface NotePicturesDeps {
  catalogStore: Pick<CatalogStore, "changesAfter" | "findByRowIds">;
  pictureStore: Pick<PictureStore, "notedSequence" | "note">;
}

/** Further pictures of a product are left alone: they rarely show anything new. */
export const maxPicturesPerProduct = 10;
/** Few enough for a transaction of a few milliseconds. */
const changeBatchSize = 100;

/** Notes the pictures of the next products that changed; false when there are none. Marketplaces are not searched by image. */
export async function notePictures({ catalogStore, pictureStore }: NotePicturesDeps): Promise<boolean> {
  const changes = await catalogStore.changesAfter(await pictureStore.notedSequence(), changeBatchSize);
  const last = changes.at(-1);
  if (last === undefined) return false;
  const products = await catalogStore.findByRowIds(changes.map(({ rowId }) => rowId));
  await pictureStore.note(
    products
      .filter(({ source }) => source === "catalog")
      .map(({ rowId, images }) => ({ rowId, addresses: images.slice(0, maxPicturesPerProduct) })),
    last.sequence,
  );
  return true;
}
