import type { StoredProduct } from "../domain/product.ts";

/** The contents of URLs in responses: pages of products and brands, and images. */
export interface SiteContent {
  /** By the last segment of its page's URL, from any source. */
  findProduct(slug: string): Promise<StoredProduct | undefined>;
  /** The first products of the brand, best first; empty if there is no such brand. */
  findBrandProducts(brand: string, signal: AbortSignal): Promise<StoredProduct[]>;
  /** The JPEG at a path below `/images`. */
  readImage(path: string): Promise<Uint8Array | undefined>;
}
