import type { AnyProduct, Brand, PriceHistoryEntry, Product, ProductVariant } from "@product-search/types";
import { availabilityText } from "../availability.ts";
import {
  type FieldKind,
  type Marketplace,
  memberOf,
  type OptionalField,
  optionalFields,
  type productMembers,
  type RowField,
  ruleOf,
} from "../fields.ts";
import { fromMinor } from "../price/money.ts";
import type { MarketplaceListing, PriceEntry, ProductWithHistory, StoredProduct } from "../product.ts";
import { categoryPathsOf } from "../product.ts";
import { absoluteAddress } from "../urls.ts";

/** Maximum length of `priceHistory` in responses; older entries stay in the database. */
export const priceHistoryLimit = 100;

export interface Presentation {
  /** Without a trailing slash. */
  publicUrl: string;
  currency: string;
}

/** What a response includes beyond the usual fields. */
interface Included {
  description?: boolean;
  custom?: boolean;
}

/** A product of the catalog in the form of responses; `history` is oldest first. */
export function toProduct(
  product: StoredProduct,
  history: readonly PriceEntry[],
  { publicUrl, currency }: Presentation,
  { description = false, custom = false }: Included = {},
): Product {
  return {
    _id: product.id,
    key: product.key,
    name: product.name,
    storeName: product.storeName,
    slug: product.slug,
    price: fromMinor(product.priceMinor, currency),
    isVerified: product.isVerified,
    isBoosted: product.isBoosted,
    images: product.images.map((image) => absoluteAddress(image, publicUrl)),
    url: absoluteAddress(product.url, publicUrl),
    priceHistory: history.slice(-priceHistoryLimit).map((entry) => toPriceHistoryEntry(entry, currency)),
    discountVal: product.discountVal,
    availability: product.availability,
    // Optional fields last, as in `fromRow`: fields after them would be slow.
    ...(product.serviceScore !== undefined && { serviceScore: product.serviceScore }),
    ...(description && { description: product.description }),
    ...(custom && toCustom(product)),
    ...toOptionalFields(product, currency),
  };
}

const kept = new WeakMap<ProductWithHistory, Product>();

/**
 * The same with the usual fields. A store freezes what it keeps for further reads: of that the response is kept as well, and is
 * frozen too. A process has one presentation.
 */
export function toKeptProduct(found: ProductWithHistory, presentation: Presentation): Product {
  if (!Object.isFrozen(found)) return toProduct(found.product, found.history, presentation);
  const known = kept.get(found);
  if (known !== undefined) return known;
  const product = Object.freeze(toProduct(found.product, found.history, presentation));
  kept.set(found, product);
  return product;
}

/** The shop's own data, which is stored as text. */
function toCustom({ custom }: Pick<StoredProduct, "custom">): Pick<Product, "custom"> {
  return custom === undefined ? {} : { custom: JSON.parse(custom) };
}

/** A price in the form of responses. */
export function toPriceHistoryEntry(
  { id, priceMinor, atMs }: PriceEntry,
  currency: string,
): PriceHistoryEntry {
  return { price: fromMinor(priceMinor, currency), date: new Date(atMs).toISOString(), _id: id };
}

type MembersOf<Field> = {
  [Member in keyof typeof productMembers]: (typeof productMembers)[Member] extends Field ? Member : never;
}[keyof typeof productMembers];
/** A member that the schema of one of them lacks does not compile. */
type OptionalFields = Pick<
  AnyProduct,
  MembersOf<Exclude<OptionalField & RowField, "custom">> | "currency" | "reviewCount"
>;

const shownKinds: readonly FieldKind[] = ["label", "code", "gtin", "number", "attributes", "time"];
/** Those that are shown as they are, and times. */
const plainFields = optionalFields
  .filter((field) => ruleOf(field).by === "row" && shownKinds.includes(ruleOf(field).kind))
  .map((field) => ({ field, member: memberOf(field), isTime: ruleOf(field).kind === "time" }));

/** The fields that products of the catalog and of the marketplaces have in common; what is unknown is left out. */
function toOptionalFields(product: MarketplaceListing, currency: string): OptionalFields {
  const { priceMinor, originalPriceMinor = 0, reviewCount, tags = [] } = product;
  const [path] = categoryPathsOf(product);
  const fields: OptionalFields = {
    currency,
    ...(path !== undefined && { categoryPath: path }),
    ...(originalPriceMinor > priceMinor && { originalPrice: fromMinor(originalPriceMinor, currency) }),
    ...(reviewCount > 0 && { reviewCount }),
    ...(tags.length > 0 && { tags: [...tags] }),
  };
  const plain: Record<string, unknown> = fields;
  for (const { field, member, isTime } of plainFields) {
    const value = product[field];
    if (value !== undefined) plain[member] = isTime ? new Date(Number(value)).toISOString() : value;
  }
  return fields;
}

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
