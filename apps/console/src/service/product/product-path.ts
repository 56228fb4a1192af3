import type { AnyProduct } from "@product-search/client";

/** The product's page here. The identifier is what the service finds it by; the slug is for people. */
export function productPath(product: AnyProduct): string {
  const id = new URLSearchParams({ id: product._id });
  // The service itself has a page of its own at the slug of a marketplace product: the shop's, in the sample.
  return "source" in product ? `/product?${id}` : `/products/${encodeURIComponent(product.slug)}?${id}`;
}
