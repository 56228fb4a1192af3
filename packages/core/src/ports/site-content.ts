import type { StoredProduct } from "../domain/product.ts";
import type { ProductPage } from "./catalog-store.ts";

/** The contents of URLs in responses: pages of products and brands, and images. */
export interface SiteContent {
  /** By the last segment of its page's URL, from any source. */
  findProduct(slug: string): Promise<StoredProduct | undefined>;
  /** The first products of the brand, best first; empty if there is no such brand. */
  findBrandProducts(brand: string, signal: AbortSignal): Promise<StoredProduct[]>;
  /** The JPEG at a path below `/images`. */
  readImage(path: string): Promise<Uint8Array | undefined>;
  /** The pages of all products in the order of their row ids. */
  listPages(afterRowId: number, limit: number): Promise<ProductPage[]>;
  /** The largest row id, 0 without products. */
  lastRowId(): Promise<number>;
}
