import type { StoredProduct } from "../domain/product.ts";

/** What the addresses that responses name lead to: pages of products and brands, and images. */
export interface SiteContent {
  /** By the last segment of its page's address, whichever source it is from. */
  findProduct(slug: string): Promise<StoredProduct | undefined>;
  /** The first products of the brand, best first; empty when there is no such brand. */
  findBrandProducts(brand: string, signal: AbortSignal): Promise<StoredProduct[]>;
  /** The JPEG at a path below `/images`. */
  readImage(path: string): Promise<Uint8Array | undefined>;
}
