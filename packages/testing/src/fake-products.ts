import type { ProductInput, ProductSource } from "@product-search/core/domain/product.ts";

/** A mug of any source; `n` makes it unique. */
export function fakeMug(source: ProductSource, n: number, over: Partial<ProductInput> = {}): ProductInput {
  return {
    source,
    key: `MUG${n}`,
    name: `Stoneware mug number ${n}`,
    brand: "Nordlys",
    storeName: "Kitchen & Co",
    description: "Hand-glazed, safe for the dishwasher.",
    url: `https://shops.example/mugs/${n}`,
    images: [`https://shops.example/mugs/${n}.jpg`],
    priceMinor: 1000 + 100 * n,
    availability: "in_stock",
    ...over,
  };
}

export function fakeMugs(source: ProductSource, count: number): ProductInput[] {
  return Array.from({ length: count }, (_, at) => fakeMug(source, at + 1));
}

/** A lamp of the catalog. */
export function productInput(key: string, given: Partial<ProductInput> = {}): ProductInput {
  return {
    source: "catalog",
    key,
    name: `Lamp ${key}`,
    storeName: "Lichthaus",
    description: "A desk lamp.",
    url: `/products/${key}`,
    images: ["/images/lamp.webp"],
    priceMinor: 2000,
    availability: "in_stock",
    ...given,
  };
}

/** A product whose only text is its name, unless `given` has more. */
export function bareProduct(key: string, given: Partial<ProductInput>): ProductInput {
  return productInput(key, { name: key, description: "", images: [], priceMinor: 1000, ...given });
}
