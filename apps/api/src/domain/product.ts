import type { Availability } from "./availability.ts";

export const productSources = ["catalog", "marketplace-a", "marketplace-b"] as const;

/** Where a product came from; the two marketplaces are searched apart from our own catalog. */
export type ProductSource = (typeof productSources)[number];

/** What an import says of a product: everything but what we derive. Unknown values are left out. */
export interface ProductInput {
  source: ProductSource;
  /** The feed's own identifier: the item code of a marketplace. Unique within the source. */
  key: string;
  name: string;
  brand?: string;
  storeName: string;
  description: string;
  category?: string;
  /** Absolute, or a path that is resolved against PUBLIC_URL. */
  url: string;
  /** Absolute, or paths that are resolved against PUBLIC_URL. */
  images: readonly string[];
  priceMinor: number;
  /** The price before a reduction, when the feed names one. */
  originalPriceMinor?: number;
  availability: Availability;
  averageRating?: number;
  reviewCount?: number;
  /** Of these two, the stored value stays when the import does not say. */
  isVerified?: boolean;
  isBoosted?: boolean;
  /** Former prices, oldest first: believed when the product is first seen, ignored later. */
  formerPrices?: readonly PricePoint[];
}

/** What an inventory feed says of a product: what it leaves out stays as it is. */
export interface ProductPatch {
  source: ProductSource;
  key: string;
  patch: {
    /** Replaces both prices: without `originalPriceMinor` there is no reduction. */
    priceMinor?: number;
    originalPriceMinor?: number;
    /** Without `priceMinor`: a reduction of the price that the product has. */
    salePriceMinor?: number;
    availability?: Availability;
  };
}

/** A feed says that the product is no longer sold. */
export interface ProductRemoval {
  source: ProductSource;
  key: string;
  removed: true;
}

/** What a row of a feed comes to. */
export type FeedChange = ProductInput | ProductPatch | ProductRemoval;

/** A price and when it took effect, in milliseconds since 1970. */
export interface PricePoint {
  priceMinor: number;
  atMs: number;
}

/** A product as the store keeps it. */
export interface StoredProduct extends Omit<ProductInput, "formerPrices"> {
  /** The store's dense number of the product: the document number of every index. */
  rowId: number;
  /** `_id` in responses: `<marketplace>_<item code>` for marketplaces, 24 hex digits for the catalog. */
  id: string;
  slug: string;
  reviewCount: number;
  isVerified: boolean;
  isBoosted: boolean;
  /** Percent off against the lowest price of the 30 days before the present price took effect. */
  discountVal: number;
  /** 0–100, see domain/service-score.ts; left out when nothing is known to score. */
  serviceScore?: number;
  /** When the present price took effect, in milliseconds since 1970. */
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

/** What is known of a marketplace's product, imported or asked for live. */
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
>;
