import type { AnyProduct, Brand, ProductVariant } from "@product-search/types";
import { availabilityText } from "../availability.ts";
import type { Marketplace } from "../fields.ts";
import { fromMinor } from "../price/money.ts";
import type { MarketplaceListing, PriceEntry, StoredProduct } from "../product.ts";
import { absoluteAddress } from "../urls.ts";
import { toOptionalFields } from "./optional-fields.ts";
import { type Included, type Presentation, toCustom, toProduct } from "./to-product.ts";

/** A product of any source in the form of responses outside a search. */
export function toAnyProduct(
  product: StoredProduct,
  history: readonly PriceEntry[],
  presentation: Presentation,
  included?: Included,
): AnyProduct {
  const { source } = product;
  if (source === "catalog") return toProduct(product, history, presentation, included);
  return { ...marketplaceItems[source](product, presentation), ...(included?.custom && toCustom(product)) };
}

/** The brand in the form of responses. The last segment of its page's URL is the percent-encoded name. */
export function toBrand(name: string, publicUrl: string): Brand {
  return { name, serviceBrandPageUrl: `${publicUrl}/brands/${encodeURIComponent(name.toWellFormed())}` };
}

export type MarketplaceItem<Of extends Marketplace> = Extract<AnyProduct, { source: Of }>;

/** A product of each marketplace in the form of responses, without its `position`, which only a search sets. */
export const marketplaceItems: {
  [Of in Marketplace]: (product: MarketplaceListing, presentation: Presentation) => MarketplaceItem<Of>;
} = {
  "marketplace-a": (product, presentation) => {
    const { priceMinor, originalPriceMinor = priceMinor } = product;
    return {
      ...toItem(product, presentation),
      source: "marketplace-a",
      originalPrice: fromMinor(Math.max(priceMinor, originalPriceMinor), presentation.currency),
      itemCode: product.key,
    };
  },
  "marketplace-b": (product, presentation) => ({
    ...toItem(product, presentation),
    source: "marketplace-b",
    reviewCount: product.reviewCount,
  }),
};

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
    ...toOptionalFields(product, currency),
  };
}

/** A member of a group in the form of responses. */
export function toVariant(product: StoredProduct, { publicUrl, currency }: Presentation): ProductVariant {
  const [image] = product.images;
  return {
    _id: product.id,
    key: product.key,
    slug: product.slug,
    url: absoluteAddress(product.url, publicUrl),
    price: fromMinor(product.priceMinor, currency),
    availability: product.availability,
    attributes: product.attributes ?? {},
    ...(image !== undefined && { image: absoluteAddress(image, publicUrl) }),
  };
}
