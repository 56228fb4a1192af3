import type { ProductInput } from "../domain/product.ts";

/** After this many failures caused by this service, not by the other side, an item is removed from its queue. */
export const maxFailures = 5;

/** The queues whose items can become dead letters. */
export const deadLetterQueues = ["deliveries", "imports", "pictures", "products"] as const;
export type DeadLetterQueue = (typeof deadLetterQueues)[number];

/** An item that could not be processed, kept for an operator to inspect and retry. */
export interface DeadLetter {
  id: string;
  queue: DeadLetterQueue;
  /**
   * The identifier of the item in its queue. `deliveries`: of the delivery. `imports`: of the product that could not be
   * applied. `images`: the image's URL. `products`: of the stored product that cannot be read.
   */
  item: string;
  /** Why the last attempt failed. */
  error: string;
  failures: number;
  createdAtMs: number;
}

export interface DeadLetterPage {
  letters: DeadLetter[];
  /** Pass it as `before` for the next page; absent on the last. */
  next?: number;
}

/**
 * `retried`: the item is back in its queue. `absent`: there is no such dead letter. `obsolete`: the item no longer
 * exists, and the dead letter is removed. `disabled`: its webhook is disabled, or was a moment ago; the dead letter
 * stays.
 */
export type RetryOutcome = "retried" | "absent" | "obsolete" | "disabled";

/** Items that failed: after `maxFailures` failures, or after one if a retry cannot help. */
export interface DeadLetters {
  /** Newest first. */
  list(page: { limit: number; before?: number }): Promise<DeadLetterPage>;
  /** The product of a dead letter in the queue `imports`. A retry applies it. */
  inputOf(id: string): Promise<ProductInput | undefined>;
  /** Puts an item of another queue back, with all its attempts, and removes the dead letter, in one transaction. */
  retry(id: string): Promise<RetryOutcome>;
  /** The number of dead letters by queue. */
  count(): Promise<Readonly<Record<DeadLetterQueue, number>>>;
}
