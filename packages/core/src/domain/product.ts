import type { DefaultedField, FieldsOfProduct, OptionalField, ProductSource, RowField } from "./fields.ts";

export { type ProductAttributes, type ProductSource, productSources } from "./fields.ts";

/** A product in the database. */
export interface StoredProduct extends FieldsOfProduct {}

type GivenField = Exclude<RowField, DefaultedField>;

/** The data of a product in an import: everything except derived values. Unknown values are absent. */
export interface ProductInput
  extends Pick<StoredProduct, "source" | "key" | GivenField>,
    Partial<Pick<StoredProduct, DefaultedField>> {
  /** Former prices, oldest first. Used only when the product is imported for the first time. */
  formerPrices?: readonly PricePoint[];
}

/** A change of some fields of a product; all others stay. */
export interface ProductPatch {
  source: ProductSource;
  key: string;
  patch: FieldChanges;
}

export interface FieldChanges {
  set?: Partial<Pick<ProductInput, RowField>>;
  removed?: readonly RowField[];
  /** The price before a reduction to the existing price. */
  salePriceMinor?: number;
  /** Merged by name with those of the product; `null` removes one. */
  attributes?: Readonly<Record<string, string[] | null>>;
  custom?: Readonly<Record<string, unknown>>;
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

export interface PriceEntry extends PricePoint {
  id: string;
}

export interface ProductWithHistory {
  product: StoredProduct;
  /** Newest last. */
  history: PriceEntry[];
}

/** The data of a marketplace's product, imported or live. */
export type MarketplaceListing = Pick<
  StoredProduct,
  | "id"
  | "key"
  | "slug"
  | "name"
  | "storeName"
  | "description"
  | "url"
  | "images"
  | "priceMinor"
  | "availability"
  | "reviewCount"
  | OptionalField
>;
