import type { RateLimit } from "@product-search/core/ports/rate-budget.ts";
import { createRateSlots, defaultSlots } from "./rate-slots.ts";

export interface RateVerdict {
  allowed: boolean;
  remaining: number;
  resetSeconds: number;
}

export interface RateLimiter {
  /**
   * Counts so many requests of the key (one by default), unless it would then be over its limit. Synchronous, unless a slice
   * must be requested from the cluster.
   */
  take(key: string, limit: RateLimit, requests?: number): RateVerdict | Promise<RateVerdict>;
}

/** For one process. */
export interface LocalRateLimiter extends RateLimiter {
  take(key: string, limit: RateLimit, requests?: number): RateVerdict;
}

const slotFields = 3;

/** Memory for this many keys at a time. All threads share the same memory. */
export function createRateMemory(slots = defaultSlots): SharedArrayBuffer {
  return new SharedArrayBuffer(slots * slotFields * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * Fixed windows counted in shared memory, so that the limit applies to all threads together. A key has a slot with
 * its fingerprint, window and count. A slot of a past window can be used by another key. If all slots that a key may
 * use are taken, it shares the first one: under a flood of keys limits get stricter, and memory does not grow.
 */
export function createRateLimiter(memory: SharedArrayBuffer, now: () => number): LocalRateLimiter {
  const cells = new Int32Array(memory);
  const slots = createRateSlots(cells, slotFields);
  return {
    take(key, { requests, seconds }, taken = 1) {
      const time = Math.floor(now() / 1000);
      const window = Math.floor(time / seconds) | 0;
      const slot = slots.find(key, window, seconds);
      if (slots.isNewWindow(slot, window)) Atomics.store(cells, slot + 2, 0);
      const count = Atomics.add(cells, slot + 2, taken) + taken;
      const allowed = count <= requests;
      // A refused request is not counted, so the count cannot overflow.
      if (!allowed) Atomics.sub(cells, slot + 2, taken);
      return { allowed, remaining: Math.max(0, requests - count), resetSeconds: seconds - (time % seconds) };
    },
  };
}
