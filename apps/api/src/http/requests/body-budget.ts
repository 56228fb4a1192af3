/** Memory that request bodies may take at once on a thread, shared fairly between those who send them. */
export interface BodyBudget {
  /** Reserves memory; false when the holder has its share or the budget is used up. */
  reserve(holder: string, bytes: number): boolean;
  release(holder: string, bytes: number): void;
}

/**
 * A holder (a token, or an address where no token is asked for) may hold at most as much as is free: one alone can take
 * half of the budget, and something is always left for the next one.
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
