import type { ProductInput } from "../domain/product.ts";

/** After so many failures that are ours, not the other side's, an item is taken out of its queue. */
export const maxFailures = 5;

/** The queues whose items can become dead letters. */
export const deadLetterQueues = ["deliveries", "imports", "pictures", "products"] as const;
export type DeadLetterQueue = (typeof deadLetterQueues)[number];

/** An item that could not be processed, kept for an operator to look at and to retry. */
export interface DeadLetter {
  id: string;
  queue: DeadLetterQueue;
  /**
   * What the queue calls the item. `deliveries`: the delivery's identifier. `imports`: the identifier of a product that
   * could not be applied. `images`: an image's address. `products`: that of one that is stored but cannot be read.
   */
  item: string;
  /** Why the last attempt failed. */
  error: string;
  failures: number;
  createdAtMs: number;
}

export interface DeadLetterPage {
  letters: DeadLetter[];
  /** Pass it as `before` for the next page; left out on the last. */
  next?: number;
}

/**
 * `retried`: the item is back in its queue. `absent`: there is no such letter. `obsolete`: what it was about does not
 * exist any more, and the letter is removed. `disabled`: its webhook is disabled, or was a moment ago; the letter stays.
 */
export type RetryOutcome = "retried" | "absent" | "obsolete" | "disabled";

/** Items that were given up: after `maxFailures` failures, or after one where trying again cannot help. */
export interface DeadLetters {
  /** Newest first. */
  list(page: { limit: number; before?: number }): Promise<DeadLetterPage>;
  /** What could not be applied, of a letter in the queue `imports`. It is retried by applying it. */
  inputOf(id: string): Promise<ProductInput | undefined>;
  /** Puts the item of another queue back, with all its attempts, and removes the letter: both or neither. */
  retry(id: string): Promise<RetryOutcome>;
  /** How many there are, by queue. */
  count(): Promise<Readonly<Record<DeadLetterQueue, number>>>;
}
