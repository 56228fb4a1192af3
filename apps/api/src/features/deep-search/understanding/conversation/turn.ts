import type { StoredProduct } from "../../../../domain/product.ts";
import type { Intent, Sorting } from "../understanding.ts";

/** What went before in a conversation. */
export interface Turn {
  /** What was last searched for. */
  intents: readonly Intent[];
  sorting: Sorting;
  /** The products that the last search showed, best first. */
  products: () => Promise<readonly StoredProduct[]>;
  /** All that were shown for it so far: "show me more" passes them over. */
  shown: () => Promise<readonly number[]>;
  /** The product that was last asked about: "it". */
  focus?: StoredProduct;
}
