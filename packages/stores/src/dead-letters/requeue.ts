import type { RetryOutcome } from "@product-search/core/ports/dead-letters.ts";

/** Puts an item back into its queue and removes the dead letter, unless the item cannot go back now. */
export type Requeue = (item: string, nowMs: number) => Exclude<RetryOutcome, "absent">;
