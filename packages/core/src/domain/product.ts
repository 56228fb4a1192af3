import type { Availability } from "./availability.ts";

export const productSources = ["catalog", "marketplace-a", "marketplace-b"] as const;

/** Where a product came from. The two marketplaces are searched separately from the catalog. */
export type ProductSource = (typeof productSources)[number];

/** The data of a product in an import: everything except derived values. Unknown values are absent. */
export interface ProductInput {
  source: ProductSource;
  /** The feed's own identifier, for marketplaces the item code. Unique within the source. */
  key: string;
  name: string;
  brand?: string;
  storeName: string;
  description: string;
  /** The innermost name of the first category. */
  category?: string;
  /** All categories, see domain/category-paths.ts. Absent if there is only `category`, with no level above it. */
  categoryPaths?: readonly string[][];
  /** Products of a source with the same one are variants of one thing. */
  groupId?: string;
  /** By names in lower case, see domain/attributes.ts. */
  attributes?: ProductAttributes;
  /** The number under the barcode, see domain/feed-values/gtin.ts. */
  gtin?: string;
  /** The manufacturer's own number of the product. */
  mpn?: string;
  /** The language of name and description, as in ISO 639-1. Detected if absent. */
  language?: string;
  /** Absolute, or a path relative to PUBLIC_URL. */
  url: string;
  /** Absolute, or paths relative to PUBLIC_URL. */
  images: readonly string[];
  priceMinor: number;
  /** The price before a reduction, if the feed has one. */
  originalPriceMinor?: number;
  availability: Availability;
  averageRating?: number;
  reviewCount?: number;
  /** If one of these two is absent, the stored value does not change. */
  isVerified?: boolean;
  isBoosted?: boolean;
  /** Former prices, oldest first. Used only when the product is imported for the first time. */
  formerPrices?: readonly PricePoint[];
}

/** What customers choose by, such as `color` and `size`: each name with its values. */
export type ProductAttributes = Readonly<Record<string, string[]>>;

/** The data of an inventory feed for a product. Absent values do not change. */
export interface ProductPatch {
  source: ProductSource;
  key: string;
  patch: {
    /** Replaces both prices: without `originalPriceMinor`, there is no reduction. */
    priceMinor?: number;
    originalPriceMinor?: number;
    /** Without `priceMinor`: the price before a reduction to the existing price. */
    salePriceMinor?: number;
    availability?: Availability;
  };
}

/** A deletion of a product by a feed. */
export interface ProductRemoval {
  source: ProductSource;
  key: string;
  removed: true;
}

/** The change that a row of a feed makes. */
export type FeedChange = ProductInput | ProductPatch | ProductRemoval;

/** A price and the time when it took effect, in milliseconds since 1970. */
export interface PricePoint {
  priceMinor: number;
  atMs: number;
}

/** A product in the database. */
export interface StoredProduct extends Omit<ProductInput, "formerPrices"> {
  /** The dense row id of the product: its document number in every index. */
  rowId: number;
  /** `_id` in responses: `<marketplace>_<item code>` for marketplaces, 24 hex digits for the catalog. */
  id: string;
  slug: string;
  reviewCount: number;
  isVerified: boolean;
  isBoosted: boolean;
  /** Discount in percent against the lowest price of the 30 days before the current price took effect. */
  discountVal: number;
  /** 0–100, see domain/service-score.ts; absent if nothing is known to score. */
  serviceScore?: number;
  /** 1 to 1000 by what customers did with it, see the insights of features; absent without any. */
  popularity?: number;
  /** When the current price took effect, in milliseconds since 1970. */
  priceSinceMs: number;
  createdAtMs: number;
  updatedAtMs: number;
}

export interface PriceEntry extends PricePoint {
  id: string;
}

export interface ProductWithHistory {
  product: StoredProduct;
  /** Newest last. */
  history: PriceEntry[];
}

type OptionalField = "category" | "categoryPaths" | "groupId" | "attributes" | "gtin" | "mpn";

/** The data of a marketplace's product, imported or live. */
export type MarketplaceListing = Pick<
  StoredProduct,
  | "id"
  | "key"
  | "slug"
  | "name"
  | "brand"
  | "storeName"
  | "description"
  | "url"
  | "images"
  | "priceMinor"
  | "originalPriceMinor"
  | "availability"
  | "averageRating"
  | "reviewCount"
  | OptionalField
>;
