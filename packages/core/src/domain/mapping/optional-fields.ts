import type { Product } from "@product-search/types";
import { categoryPathsOf } from "../category-paths.ts";
import { fromMinor } from "../price/money.ts";
import type { MarketplaceListing } from "../product.ts";

type OptionalFields = Pick<
  Product,
  | "currency"
  | "category"
  | "categoryPath"
  | "originalPrice"
  | "groupId"
  | "attributes"
  | "gtin"
  | "mpn"
  | "releasedAt"
  | "rank"
  | "tags"
  | "reviewCount"
>;

/** The fields that products of the catalog and of the marketplaces have in common; what is unknown is left out. */
export function toOptionalFields(product: MarketplaceListing, currency: string): OptionalFields {
  const { category, groupId, attributes, gtin, mpn, reviewCount, releasedAtMs, rank, tags } = product;
  const { priceMinor, originalPriceMinor = 0 } = product;
  const [path] = categoryPathsOf(product);
  return {
    currency,
    ...(category !== undefined && { category }),
    ...(path !== undefined && { categoryPath: path }),
    ...(originalPriceMinor > priceMinor && { originalPrice: fromMinor(originalPriceMinor, currency) }),
    ...(groupId !== undefined && { groupId }),
    ...(attributes !== undefined && { attributes }),
    ...(gtin !== undefined && { gtin }),
    ...(mpn !== undefined && { mpn }),
    ...(reviewCount > 0 && { reviewCount }),
    ...(releasedAtMs !== undefined && { releasedAt: new Date(releasedAtMs).toISOString() }),
    ...(rank !== undefined && { rank }),
    ...(tags !== undefined && tags.length > 0 && { tags: [...tags] }),
  };
}
