import type { IndexDocument } from "@product-search/text-index";
import { type Availability, availabilities } from "../../domain/availability.ts";
import { type ProductSource, productSources, type StoredProduct } from "../../domain/product.ts";

/** The index stores these words as numbers: their indices in the domain's lists, which only grow. */
export function sourceCode(source: ProductSource): number {
  return productSources.indexOf(source);
}

export function availabilityCode(availability: Availability): number {
  return availabilities.indexOf(availability);
}

export function toIndexDocument(product: StoredProduct): IndexDocument {
  return {
    id: product.rowId,
    tieKey: product.id,
    keys: [product.id, product.key, product.slug, ...(product.gtin === undefined ? [] : [product.gtin])],
    fields: {
      name: product.name,
      brand: product.brand ?? "",
      store: product.storeName,
      description: product.description,
      category: product.category ?? "",
    },
    source: sourceCode(product.source),
    priceMinor: product.priceMinor,
    rating: product.averageRating ?? 0,
    discount: product.discountVal,
    quality: product.serviceScore ?? 0,
    availability: availabilityCode(product.availability),
  };
}
