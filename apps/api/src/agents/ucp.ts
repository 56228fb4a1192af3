import { productPageUrl, webAddress } from "@product-search/core/domain/absolute-address.ts";
import { type Availability, availabilityText } from "@product-search/core/domain/availability.ts";
import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import { fromMinor } from "@product-search/core/domain/price/money.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";

/** The version of the Universal Commerce Protocol that the profile and all replies speak. */
export const ucpVersion = "2026-08-25";

const searchCapability = "dev.ucp.shopping.catalog.search";
const lookupCapability = "dev.ucp.shopping.catalog.lookup";

/** What an agent reads first: where the catalog's tools are. There is no checkout, so there are no payment handlers. */
export function ucpProfile(publicUrl: string): object {
  const site = `https://ucp.dev/${ucpVersion}`;
  const capability = (path: string, schema: string) => [
    {
      version: ucpVersion,
      spec: `${site}/specification/shopping/catalog/${path}`,
      schema: `${site}/schemas/shopping/${schema}.json`,
    },
  ];
  return {
    ucp: {
      version: ucpVersion,
      services: {
        "dev.ucp.shopping": [
          {
            version: ucpVersion,
            spec: `${site}/specification/overview`,
            transport: "mcp",
            schema: `${site}/services/shopping/mcp.openrpc.json`,
            endpoint: `${publicUrl}/mcp`,
          },
        ],
      },
      capabilities: {
        [searchCapability]: capability("search", "catalog_search"),
        [lookupCapability]: capability("lookup", "catalog_lookup"),
      },
      payment_handlers: {},
    },
  };
}

interface Envelope {
  version: string;
  status: "success" | "error";
  capabilities: Readonly<Record<string, readonly { version: string }[]>>;
}

/** The `ucp` member of a reply. */
export function envelope(capability: "search" | "lookup", status: Envelope["status"] = "success"): Envelope {
  const name = capability === "search" ? searchCapability : lookupCapability;
  return { version: ucpVersion, status, capabilities: { [name]: [{ version: ucpVersion }] } };
}

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
  list_price?: Money;
  /** Of a lookup: which of the asked identifiers this is. */
  inputs?: { id: string; match: "exact" }[];
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
  metadata?: { brand: string };
}

/** The product in the form of UCP. Each of ours is for sale by itself, so it is its own only variant. */
export function toUcpProduct(product: StoredProduct, settings: Presentation): UcpProduct {
  const { publicUrl } = settings;
  const { category, averageRating, reviewCount, brand } = product;
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
    price_range: { min: variant.price, max: variant.price },
    variants: [variant],
    ...(media.length > 0 && { media }),
    ...(category !== undefined && { categories: [{ value: category, taxonomy: "merchant" as const }] }),
    ...(averageRating !== undefined && {
      rating: {
        value: averageRating,
        scale_min: 0,
        scale_max: 5,
        ...(reviewCount > 0 && { count: reviewCount }),
      },
    }),
    ...(brand !== undefined && { metadata: { brand } }),
  };
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
    ...(metadata === undefined ? [] : [`brand ${metadata.brand}`]),
    `sold by ${variant.seller.name}`,
    ...(rating === undefined ? [] : [`rated ${rating.value} of 5`]),
    `id ${id}`,
    url,
  ].join(" · ");
}

function moneyText({ amount, currency }: Money): string {
  return new Intl.NumberFormat("en", { style: "currency", currency }).format(fromMinor(amount, currency));
}
