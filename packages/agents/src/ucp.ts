import { type Availability, availabilityText } from "@product-search/core/domain/availability.ts";
import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import { fold } from "@product-search/core/domain/name-list.ts";
import { fromMinor } from "@product-search/core/domain/price/money.ts";
import type { ProductAttributes, StoredProduct } from "@product-search/core/domain/product.ts";
import { productPageUrl, webAddress } from "@product-search/core/domain/urls.ts";

export type Message =
  | { type: "info"; code: string; content: string }
  | { type: "error"; code: string; content: string; severity: "recoverable" | "unrecoverable" };

/** In minor units of ISO 4217: $12.50 is 1250. */
export interface Money {
  amount: number;
  currency: string;
}

export interface UcpVariant {
  id: string;
  title: string;
  description: { plain: string };
  price: Money;
  availability: { available: boolean; status: Availability };
  seller: { name: string };
  sku: string;
  url: string;
  barcodes?: { type: "GTIN"; value: string }[];
  options?: SelectedOption[];
  list_price?: Money;
  /** Of a lookup: which of the asked identifiers this is. */
  inputs?: { id: string; match: "exact" }[];
}

export interface SelectedOption {
  name: string;
  label: string;
}

export interface UcpProduct {
  id: string;
  handle: string;
  title: string;
  description: { plain: string };
  url: string;
  price_range: { min: Money; max: Money };
  variants: UcpVariant[];
  media?: { type: "image"; url: string; alt_text: string }[];
  categories?: { value: string; taxonomy: "merchant" }[];
  rating?: { value: number; scale_min: number; scale_max: number; count?: number };
  metadata?: { brand?: string; mpn?: string; attributes?: ProductAttributes };
  options?: { name: string; values: { label: string; available: boolean; exists: boolean }[] }[];
  selected?: SelectedOption[];
}

/** The product in the form of UCP. Each of ours is for sale by itself, so it is its own variant; `others` are further ones. */
export function toUcpProduct(
  product: StoredProduct,
  settings: Presentation,
  others: readonly StoredProduct[] = [],
): UcpProduct {
  const { category, categoryPaths, averageRating, reviewCount, brand, mpn, attributes } = product;
  const { publicUrl, currency } = settings;
  const amounts = [product, ...others].map(({ priceMinor }) => priceMinor);
  const categories = categoryPaths ?? (category === undefined ? [] : [[category]]);
  const metadata = {
    ...(brand !== undefined && { brand }),
    ...(mpn !== undefined && { mpn }),
    ...(attributes !== undefined && { attributes }),
  };
  const variant = toVariant(product, settings);
  const media = product.images.flatMap((image) => {
    const url = webAddress(image, publicUrl);
    return url === undefined ? [] : [{ type: "image" as const, url, alt_text: product.name }];
  });
  return {
    id: product.id,
    handle: product.slug,
    title: product.name,
    description: variant.description,
    url: variant.url,
    price_range: {
      min: { amount: Math.min(...amounts), currency },
      max: { amount: Math.max(...amounts), currency },
    },
    variants: [variant, ...others.map((other) => toVariant(other, settings))],
    ...(media.length > 0 && { media }),
    ...(categories.length > 0 && {
      categories: categories.map((path) => ({ value: path.join(" > "), taxonomy: "merchant" as const })),
    }),
    ...(averageRating !== undefined && {
      rating: {
        value: averageRating,
        scale_min: 0,
        scale_max: 5,
        ...(reviewCount > 0 && { count: reviewCount }),
      },
    }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/**
 * The product among the others of its group: what customers choose by, and what there is for the choice. `product` is the
 * chosen one.
 */
export function toUcpGroup(
  product: StoredProduct,
  members: readonly StoredProduct[],
  shown: readonly StoredProduct[],
  settings: Presentation,
): UcpProduct {
  const names = optionNames(members);
  const selected = optionsOf(product, names);
  const base = toUcpProduct(
    product,
    settings,
    shown.filter(({ id }) => id !== product.id),
  );
  const options = names.map((name) => ({
    name,
    values: [...new Set(members.map((member) => firstValue(member, name)))].flatMap((label) => {
      if (label === undefined) return [];
      const others = selected.filter((option) => option.name !== name);
      const same = members.filter((member) => matches(member, [...others, { name, label }]));
      const available = same.some(({ availability }) => availability !== "out_of_stock");
      return [{ label, available, exists: same.length > 0 }];
    }),
  }));
  if (options.length === 0) return base;
  const byId = new Map(shown.map((member) => [member.id, member]));
  return {
    ...base,
    options,
    selected,
    variants: base.variants.map((variant) => {
      const member = byId.get(variant.id) ?? product;
      return { ...variant, options: optionsOf(member, names) };
    }),
  };
}

/** Whether the product has all these values. */
export function matches(product: StoredProduct, selected: readonly SelectedOption[]): boolean {
  return selected.every(({ name, label }) => {
    const values = product.attributes?.[name.toLowerCase()] ?? [];
    return values.some((value) => fold(value) === fold(label));
  });
}

const maxOptions = 10;

/** The attributes in which the members of a group differ. */
function optionNames(members: readonly StoredProduct[]): string[] {
  const names = new Set(members.flatMap(({ attributes = {} }) => Object.keys(attributes)));
  return [...names]
    .filter((name) => new Set(members.map((member) => firstValue(member, name))).size > 1)
    .slice(0, maxOptions);
}

function firstValue({ attributes }: StoredProduct, name: string): string | undefined {
  return attributes?.[name]?.[0];
}

function optionsOf(product: StoredProduct, names: readonly string[]): SelectedOption[] {
  return names.flatMap((name) => {
    const label = firstValue(product, name);
    return label === undefined ? [] : [{ name, label }];
  });
}

function toVariant(product: StoredProduct, { publicUrl, currency }: Presentation): UcpVariant {
  const { originalPriceMinor, priceMinor, gtin, availability } = product;
  return {
    id: product.id,
    title: product.name,
    // UCP wants a text there, also where the feed has none.
    description: { plain: product.description === "" ? product.name : product.description },
    price: { amount: priceMinor, currency },
    availability: { available: availability !== "out_of_stock", status: availability },
    seller: { name: product.storeName },
    sku: product.key,
    url: webAddress(product.url, publicUrl) ?? productPageUrl(product, publicUrl),
    ...(gtin !== undefined && { barcodes: [{ type: "GTIN" as const, value: gtin }] }),
    ...(originalPriceMinor !== undefined &&
      originalPriceMinor > priceMinor && { list_price: { amount: originalPriceMinor, currency } }),
  };
}

/** The products as lines of text, for assistants that show a model no structured content. */
export function productLines(products: readonly UcpProduct[]): string {
  return products.map((product, index) => `${index + 1}. ${productLine(product)}`).join("\n");
}

function productLine({ id, title, variants: [variant], rating, metadata, url }: UcpProduct): string {
  if (variant === undefined) return title;
  return [
    title,
    moneyText(variant.price),
    ...(variant.list_price === undefined ? [] : [`before ${moneyText(variant.list_price)}`]),
    availabilityText(variant.availability.status),
    ...(metadata?.brand === undefined ? [] : [`brand ${metadata.brand}`]),
    `sold by ${variant.seller.name}`,
    ...(rating === undefined ? [] : [`rated ${rating.value} of 5`]),
    `id ${id}`,
    url,
  ].join(" · ");
}

function moneyText({ amount, currency }: Money): string {
  return new Intl.NumberFormat("en", { style: "currency", currency }).format(fromMinor(amount, currency));
}
