import type { ProductInput, ProductPatch, StoredProduct } from "./product.ts";

/** The whole product as an input, with the changes of the patch. */
export function patchProduct(product: StoredProduct, { patch }: ProductPatch): ProductInput {
  const { originalPriceMinor, ...rest } = product;
  const { availability = product.availability } = patch;
  if (patch.priceMinor !== undefined) {
    return {
      ...rest,
      availability,
      priceMinor: patch.priceMinor,
      ...(patch.originalPriceMinor !== undefined && { originalPriceMinor: patch.originalPriceMinor }),
    };
  }
  if (patch.salePriceMinor === undefined) return { ...product, availability };
  const regular = originalPriceMinor ?? product.priceMinor;
  return { ...rest, availability, priceMinor: patch.salePriceMinor, originalPriceMinor: regular };
}
