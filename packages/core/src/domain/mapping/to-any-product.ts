import type { AnyProduct } from "@product-search/types";
import type { PriceEntry, StoredProduct } from "../product.ts";
import { toMarketplaceAItem, toMarketplaceBItem } from "./to-marketplace-product.ts";
import { type Included, type Presentation, toCustom, toProduct } from "./to-product.ts";

/** A product of any source in the form of responses outside a search. */
export function toAnyProduct(
  product: StoredProduct,
  history: readonly PriceEntry[],
  presentation: Presentation,
  included?: Included,
): AnyProduct {
  const { source } = product;
  switch (source) {
    case "marketplace-a":
      return { ...toMarketplaceAItem(product, presentation), ...(included?.custom && toCustom(product)) };
    case "marketplace-b":
      return { ...toMarketplaceBItem(product, presentation), ...(included?.custom && toCustom(product)) };
    case "catalog":
      return toProduct(product, history, presentation, included);
    default:
      return source satisfies never;
  }
}
