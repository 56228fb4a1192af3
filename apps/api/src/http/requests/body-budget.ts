/** The memory for concurrent request bodies of a thread, shared fairly between the senders. */
export interface BodyBudget {
  /** Reserves memory; false if the holder has its share or the budget is used up. */
  reserve(holder: string, bytes: number): boolean;
  release(holder: string, bytes: number): void;
}

/**
 * A holder (a token, or an IP address if there is no token or a public one) may hold at most as much as is still free.
 * So a single holder can use half of the budget, and some of it is always left for the next one. A fixed share would
 * either keep a single partner from using an idle service, or add up to more than there is. (Switches share their
 * buffers by this rule.)
 */
export function createBodyBudget(totalBytes: number): BodyBudget {
  const held = new Map<string, number>();
  let free = totalBytes;
  return {
    reserve(holder, bytes) {
      const after = (held.get(holder) ?? 0) + bytes;
      if (after > free) return false;
      held.set(holder, after);
      free -= bytes;
      return true;
    },
    release(holder, bytes) {
      const after = (held.get(holder) ?? 0) - bytes;
      if (after > 0) held.set(holder, after);
      else held.delete(holder);
      free += bytes;
    },
  };
}
