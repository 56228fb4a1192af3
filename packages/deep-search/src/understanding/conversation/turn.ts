import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { Intent, Sorting } from "../understanding.ts";

/** The state of a conversation before a query. */
export interface Turn {
  /** The last search. */
  intents: readonly Intent[];
  sorting: Sorting;
  /** The products that the last search showed, best first. */
  products: () => Promise<readonly StoredProduct[]>;
  /** All products shown for it so far: "show me more" leaves them out. */
  shown: () => Promise<readonly number[]>;
  /** The last request was for something cheaper; the limit is that of the shopper. */
  asksForCheaper?: { limitMinor?: number };
  /** The product of the last question: "it". */
  focus?: StoredProduct;
}
