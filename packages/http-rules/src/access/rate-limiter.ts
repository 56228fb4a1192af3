import type { RateLimit } from "@product-search/core/ports/quotas.ts";

export interface RateVerdict {
  allowed: boolean;
  remaining: number;
  resetSeconds: number;
}

export interface RateLimiter {
  /**
   * Counts so many requests of the key (one by default), unless it would then be over its limit. Synchronous, unless the
   * cluster must be asked.
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

/** Space for this many keys at a time. */
export const defaultSlots = 65_536;

const probes = 8;

/**
 * Slots of equal size in memory that all threads share. The first cell holds a key's fingerprint, the second its
 * window.
 */
interface RateSlots {
  /**
   * The index of the first cell of the key's slot. If all slots that a key may use are taken, it shares the first
   * one: under a flood of keys limits get stricter, and memory does not grow.
   */
  find(key: string, window: number, seconds: number): number;
  /**
   * True for the first request in a new window, which must empty the slot. The clocks of threads differ a little: near
   * the end of a window, one may have begun the next one already. The others then count in that one too.
   */
  isNewWindow(slot: number, window: number): boolean;
  /** The window that a request counts in: the given one, or the next one if that has begun. */
  windowOf(slot: number, window: number): number;
}

export function createRateSlots(cells: Int32Array, fields: number, header = 0): RateSlots {
  const slots = Math.floor((cells.length - header) / fields);
  const cellOf = (slot: number) => header + (slot % slots) * fields;
  /** Windows have 32 bits, and so has their distance. */
  const ageOf = (slot: number, window: number) => (window - Atomics.load(cells, slot + 1)) | 0;
  return {
    find(key, window, seconds) {
      const hash = fnv1a(`${seconds} ${key}`, 0x811c9dc5);
      const fingerprint = fnv1a(key, 0x1234567) || 1;
      const first = (hash >>> 0) % slots;
      for (let probe = 0; probe < probes; probe++) {
        const slot = cellOf(first + probe);
        if (Atomics.load(cells, slot) === fingerprint) return slot;
      }
      for (let probe = 0; probe < probes; probe++) {
        const slot = cellOf(first + probe);
        const owner = Atomics.load(cells, slot);
        // A slot whose window has passed is free for another key.
        const free = owner === 0 || ageOf(slot, window) > 1;
        if (free && Atomics.compareExchange(cells, slot, owner, fingerprint) === owner) return slot;
        if (Atomics.load(cells, slot) === fingerprint) return slot;
      }
      return cellOf(first);
    },
    isNewWindow(slot, window) {
      const held = Atomics.load(cells, slot + 1);
      if (held === window || held === nextOf(window)) return false;
      return Atomics.compareExchange(cells, slot + 1, held, window) === held;
    },
    windowOf: (slot, window) => (ageOf(slot, window) === -1 ? nextOf(window) : window),
  };
}

function nextOf(window: number): number {
  return (window + 1) | 0;
}

function fnv1a(text: string, seed: number): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}
