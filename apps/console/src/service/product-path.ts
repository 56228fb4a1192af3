import type { Product } from "@product-search/client";

/** The product's page here. The identifier is what the service finds it by; the slug is for people. */
export function productPath({ _id, slug }: Pick<Product, "_id" | "slug">): string {
  return `/products/${encodeURIComponent(slug)}?${new URLSearchParams({ id: _id })}`;
}
