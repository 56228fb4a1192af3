import { type Availability, availabilityText } from "@product-search/core/domain/availability.ts";
import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import { currencyExponent, fromMinor } from "@product-search/core/domain/price/money.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { productPageUrl, webAddress } from "@product-search/core/domain/urls.ts";

/** Search engines show about this much of a description. */
const descriptionLength = 200;
/** Of schema.org's `description`: more is of no use to a reader of structured data. */
const dataDescriptionLength = 5000;

/** The title, description, Open Graph and schema.org data of a product's page, as HTML. */
export function productHead(product: StoredProduct, settings: Presentation): string {
  const facts = `${priceText(product, settings)} · ${availabilityText(product.availability)} · ${product.storeName}`;
  const { publicUrl, currency } = settings;
  return renderHead({
    title: `${product.name} · ${product.storeName}`,
    description: shorten(`${facts}. ${product.description}`, descriptionLength),
    // The shop's own page is the original of a product that is sold elsewhere.
    canonical: webAddress(product.url, publicUrl) ?? productPageUrl(product, publicUrl),
    properties: [
      ["og:type", "product"],
      ["og:title", product.name],
      [
        "og:description",
        shorten(product.description === "" ? facts : product.description, descriptionLength),
      ],
      ["og:url", productPageUrl(product, publicUrl)],
      ...imageAddresses(product, publicUrl).map((image) => ["og:image", image] as const),
      ["product:price:amount", decimalPrice(product.priceMinor, currency)],
      ["product:price:currency", currency],
      ["product:availability", openGraphAvailability[product.availability]],
      ...(product.brand === undefined ? [] : [["product:brand", product.brand] as const]),
    ],
    data: [productData(product, settings), breadcrumbs(productTrail(product, publicUrl))],
  });
}

/** The same for the page of a brand, with its first products. */
export function brandHead(brand: string, products: readonly StoredProduct[], settings: Presentation): string {
  const { publicUrl } = settings;
  const url = brandUrl(brand, publicUrl);
  const description = shorten(`${brand}: ${products.map(({ name }) => name).join(", ")}`, descriptionLength);
  const [image] = products.flatMap((product) => imageAddresses(product, publicUrl));
  return renderHead({
    title: brand,
    description,
    canonical: url,
    properties: [
      ["og:type", "website"],
      ["og:title", brand],
      ["og:description", description],
      ["og:url", url],
      ...(image === undefined ? [] : [["og:image", image] as const]),
    ],
    data: [
      {
        "@type": "CollectionPage",
        name: brand,
        url,
        about: { "@type": "Brand", name: brand },
        mainEntity: {
          "@type": "ItemList",
          itemListElement: products.map((product, index) => ({
            "@type": "ListItem",
            position: index + 1,
            name: product.name,
            url: productPageUrl(product, publicUrl),
          })),
        },
      },
      breadcrumbs([home(publicUrl), { name: brand, url }]),
    ],
  });
}

const schemaAvailability: Readonly<Record<Availability, string>> = {
  in_stock: "https://schema.org/InStock",
  out_of_stock: "https://schema.org/OutOfStock",
  preorder: "https://schema.org/PreOrder",
  backorder: "https://schema.org/BackOrder",
};

/** The words of Meta's catalogs, which read these properties. */
const openGraphAvailability: Readonly<Record<Availability, string>> = {
  in_stock: "in stock",
  out_of_stock: "out of stock",
  preorder: "preorder",
  backorder: "available for order",
};

function productData(product: StoredProduct, { publicUrl, currency }: Presentation): object {
  const { averageRating, reviewCount, brand, gtin, mpn, groupId, attributes = {} } = product;
  const category = categoryPath(product).join(" > ");
  const images = imageAddresses(product, publicUrl);
  return {
    "@type": "Product",
    "@id": `${productPageUrl(product, publicUrl)}#product`,
    name: product.name,
    description: shorten(
      product.description === "" ? product.name : product.description,
      dataDescriptionLength,
    ),
    sku: product.key,
    ...(images.length > 0 && { image: images }),
    ...(gtin !== undefined && { gtin }),
    ...(brand !== undefined && { brand: { "@type": "Brand", name: brand } }),
    ...(mpn !== undefined && { mpn }),
    ...(groupId !== undefined && { inProductGroupWithID: groupId }),
    ...(category !== "" && { category }),
    ...Object.fromEntries(
      describedAttributes.flatMap((name) => {
        const values = attributes[name] ?? [];
        return values.length === 0 ? [] : [[name, values.join(", ")]];
      }),
    ),
    offers: {
      "@type": "Offer",
      price: decimalPrice(product.priceMinor, currency),
      priceCurrency: currency,
      availability: schemaAvailability[product.availability],
      url: webAddress(product.url, publicUrl) ?? productPageUrl(product, publicUrl),
      seller: { "@type": "Organization", name: product.storeName },
    },
    // A rating without a number of reviews is not valid there.
    ...(averageRating !== undefined &&
      reviewCount > 0 && {
        aggregateRating: {
          "@type": "AggregateRating",
          ratingValue: averageRating,
          bestRating: 5,
          worstRating: 0,
          reviewCount,
        },
      }),
  };
}

/** The attributes that schema.org has properties for, under the same names. */
const describedAttributes = ["color", "size", "material", "pattern"] as const;

/** From the top to the product's own category; empty if it has none. */
function categoryPath({ categoryPaths, category }: StoredProduct): readonly string[] {
  return categoryPaths?.[0] ?? (category === undefined ? [] : [category]);
}

interface Step {
  name: string;
  url: string;
}

function productTrail(product: StoredProduct, publicUrl: string): Step[] {
  const path = categoryPath(product);
  return [
    home(publicUrl),
    ...path.map((name, index) => ({
      name,
      url: categoryUrl(path.slice(0, index + 1).join(" > "), publicUrl),
    })),
    { name: product.name, url: productPageUrl(product, publicUrl) },
  ];
}

function breadcrumbs(steps: readonly Step[]): object {
  return {
    "@type": "BreadcrumbList",
    itemListElement: steps.map(({ name, url }, index) => ({
      "@type": "ListItem",
      position: index + 1,
      name,
      item: url,
    })),
  };
}

const home = (publicUrl: string): Step => ({ name: "Home", url: `${publicUrl}/` });
const brandUrl = (brand: string, publicUrl: string) =>
  `${publicUrl}/brands/${encodeURIComponent(brand.toWellFormed())}`;
const categoryUrl = (category: string, publicUrl: string) =>
  `${publicUrl}/?${new URLSearchParams({ categories: escapeComma(category) })}`;
/** In lists of values a comma separates, see "Catalog search". */
function escapeComma(value: string): string {
  return value.replaceAll(",", "\\,");
}

export function priceText(
  { priceMinor }: Pick<StoredProduct, "priceMinor">,
  { currency }: Presentation,
): string {
  return new Intl.NumberFormat("en", { style: "currency", currency }).format(fromMinor(priceMinor, currency));
}

function decimalPrice(priceMinor: number, currency: string): string {
  return fromMinor(priceMinor, currency).toFixed(currencyExponent(currency));
}

function imageAddresses({ images }: StoredProduct, publicUrl: string): string[] {
  return images.flatMap((image) => webAddress(image, publicUrl) ?? []);
}

function shorten(text: string, length: number): string {
  const oneLine = text.replaceAll(/\s+/g, " ").trim();
  const characters = [...oneLine.slice(0, length * 2)];
  return characters.length <= length ? oneLine : `${characters.slice(0, length - 1).join("")}…`;
}

interface Head {
  title: string;
  description: string;
  canonical: string;
  /** Open Graph. */
  properties: readonly (readonly [name: string, value: string])[];
  /** What the page is about, as schema.org has it. */
  data: readonly object[];
}

function renderHead({ title, description, canonical, properties, data }: Head): string {
  return [
    `<title>${escapeHtml(title)}</title>`,
    `<meta name="description" content="${escapeHtml(description)}">`,
    `<link rel="canonical" href="${escapeHtml(canonical)}">`,
    ...properties.map(([name, value]) => `<meta property="${name}" content="${escapeHtml(value)}">`),
    `<script type="application/ld+json">${toJsonLd(data)}</script>`,
  ].join("\n");
}

/** In a script element HTML is not unescaped, so `</script>` and `<!--` must not appear. In JSON they have another spelling. */
function toJsonLd(data: readonly object[]): string {
  const document = { "@context": "https://schema.org", "@graph": data };
  return JSON.stringify(document).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
