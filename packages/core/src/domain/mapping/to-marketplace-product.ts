import type { MarketplaceAItem, MarketplaceBItem } from "@product-search/types";
import { absoluteAddress } from "../absolute-address.ts";
import { availabilityText } from "../availability.ts";
import { fromMinor } from "../price/money.ts";
import type { MarketplaceListing } from "../product.ts";
import { toOptionalFields } from "./optional-fields.ts";
import type { Presentation } from "./to-product.ts";

/** A product of marketplace A in the form of responses, without its `position`, which only a search sets. */
export function toMarketplaceAItem(
  product: MarketplaceListing,
  presentation: Presentation,
): MarketplaceAItem {
  const { priceMinor, originalPriceMinor = priceMinor } = product;
  return {
    ...toItem(product, presentation),
    source: "marketplace-a",
    originalPrice: fromMinor(Math.max(priceMinor, originalPriceMinor), presentation.currency),
    itemCode: product.key,
  };
}

/** A product of marketplace B in the form of responses, without its `position`. */
export function toMarketplaceBItem(
  product: MarketplaceListing,
  presentation: Presentation,
): MarketplaceBItem {
  return { ...toItem(product, presentation), source: "marketplace-b", reviewCount: product.reviewCount };
}

function toItem(product: MarketplaceListing, { publicUrl, currency }: Presentation) {
  return {
    _id: product.id,
    key: product.key,
    name: product.name,
    price: fromMinor(product.priceMinor, currency),
    images: product.images.map((image) => absoluteAddress(image, publicUrl)),
    url: absoluteAddress(product.url, publicUrl),
    slug: product.slug,
    storeName: product.storeName,
    description: product.description,
    availability: availabilityText(product.availability),
    ...(product.brand !== undefined && { brand: product.brand }),
    ...(product.averageRating !== undefined && { averageRating: product.averageRating }),
    ...toOptionalFields(product, currency),
  };
}
