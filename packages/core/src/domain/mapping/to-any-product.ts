import type { AnyProduct } from "@product-search/types";
import type { PriceEntry, StoredProduct } from "../product.ts";
import { toMarketplaceAItem, toMarketplaceBItem } from "./to-marketplace-product.ts";
import { type Presentation, toProduct } from "./to-product.ts";

/** A product of any source in the form of responses outside a search. */
export function toAnyProduct(
  product: StoredProduct,
  history: readonly PriceEntry[],
  presentation: Presentation,
): AnyProduct {
  if (product.source === "marketplace-a") return toMarketplaceAItem(product, presentation);
  if (product.source === "marketplace-b") return toMarketplaceBItem(product, presentation);
  return toProduct(product, history, presentation);
}
