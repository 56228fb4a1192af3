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

const maxCategoryLevels = 8;
const maxCategories = 20;

/** The names of a path such as "Home > Furniture > Sofas", top first; none for a blank one. */
export function splitCategoryPath(text: string, separator = ">"): string[] {
  return text.split(separator).flatMap((name) => name.trim() || []);
}

/** Several categories of a product, the main one first, in the form in which they are stored. */
export function toCategories(
  paths: readonly (readonly string[])[],
): Pick<ProductInput, "category" | "categoryPaths"> {
  const cut = paths.map((path) => path.slice(0, maxCategoryLevels)).filter((path) => path.length > 0);
  const different = [...new Map(cut.map((path) => [path.join("\n"), path])).values()].slice(0, maxCategories);
  const category = different[0]?.at(-1);
  if (category === undefined) return {};
  const isOneName = different.length === 1 && different[0]?.length === 1;
  return isOneName ? { category } : { category, categoryPaths: different };
}

/** Whether a category says what its products are: "187" is only a number in a taxonomy. */
export function isCategoryName(category: string): boolean {
  return /\p{L}/u.test(category);
}

/** All categories of a product as paths, the main one first. */
export function categoryPathsOf({
  category,
  categoryPaths,
}: Pick<ProductInput, "category" | "categoryPaths">): readonly string[][] {
  return categoryPaths ?? (category === undefined ? [] : [[category]]);
}
