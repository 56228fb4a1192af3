/** After so many failures that are ours, not the other side's, an item is taken out of its queue. */
export const mostFailures = 5;

/** The queues whose items can become dead letters. */
export const deadLetterQueues = ["deliveries"] as const;
export type DeadLetterQueue = (typeof deadLetterQueues)[number];

/** An item that could not be processed, kept for an operator to look at and to retry. */
export interface DeadLetter {
  id: string;
  queue: DeadLetterQueue;
  /** What the queue calls the item: of `deliveries`, the delivery's identifier. */
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

/** Items that were given up after `mostFailures` failures. */
export interface DeadLetters {
  /** Newest first. */
  list(page: { limit: number; before?: number }): Promise<DeadLetterPage>;
  /** Puts the item back into its queue, with all its attempts, and removes the letter: both or neither. */
  retry(id: string): Promise<RetryOutcome>;
  /** How many there are, by queue. */
  count(): Promise<Readonly<Record<DeadLetterQueue, number>>>;
}
