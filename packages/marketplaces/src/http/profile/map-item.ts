import { availabilities } from "@product-search/core/domain/availability.ts";
import { productId } from "@product-search/core/domain/identity.ts";
import type { MarketplaceListing } from "@product-search/core/domain/product.ts";
import type { Marketplace } from "@product-search/core/ports/marketplace-source.ts";
import type { Json } from "./expression.ts";
import { createFieldReader } from "./field-reader.ts";
import type { Profile } from "./profile.ts";

/** One entry of the marketplace's list: a product, or the reason why it was dropped. */
export interface MappedItem {
  /** Its item code if it has one, to recognise it on another page. */
  code: string | undefined;
  listing?: MarketplaceListing;
  /** Why there is no listing. */
  dropped?: string;
  /** Fields with an invalid value, which were left out. */
  notes: string[];
}

export type MapItem = (entry: Json) => MappedItem;

const maxImages = 20;
const maxCodeLength = 200;
const maxRating = 5;

export function createItemMapper(profile: Profile, marketplace: Marketplace): MapItem {
  const readFields = createFieldReader(profile);
  return (entry) => {
    const { text, number, texts, notes } = readFields(entry);
    const code = text("itemCode")?.slice(0, maxCodeLength);
    const name = text("name");
    const url = text("url");
    const priceMinor = number("price");
    const currency = profile.item.currency === undefined ? profile.currency : text("currency");
    const drop = (dropped: string): MappedItem => ({ code, dropped, notes });
    if (code === undefined) return drop("has no itemCode");
    if (name === undefined) return drop("has no name");
    if (url === undefined) return drop("has no url, or an invalid one");
    if (priceMinor === undefined) return drop("has no price, or an invalid one");
    if (currency !== profile.currency) return drop(`has the currency ${currency}, not ${profile.currency}`);

    const brand = text("brand");
    const originalPriceMinor = number("originalPrice");
    const averageRating = number("averageRating");
    const listing: MarketplaceListing = {
      id: productId(marketplace, code),
      key: code,
      slug: code,
      name,
      url,
      priceMinor,
      storeName: text("storeName") ?? profile.name,
      description: text("description") ?? "",
      images: texts("images").slice(0, maxImages),
      // Marketplaces list what can be bought, so in stock is the default.
      availability: availabilities.find((word) => word === text("availability")) ?? "in_stock",
      reviewCount: Math.round(number("reviewCount") ?? 0),
      ...(brand !== undefined && { brand }),
      ...(originalPriceMinor !== undefined && { originalPriceMinor }),
      ...(averageRating !== undefined && averageRating <= maxRating && { averageRating }),
    };
    return { code, listing, notes };
  };
}
