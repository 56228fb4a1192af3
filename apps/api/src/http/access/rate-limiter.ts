import type { RateLimit } from "../../config.ts";

export interface RateVerdict {
  allowed: boolean;
  remaining: number;
  resetSeconds: number;
}

export interface RateLimiter {
  /** Counts one request of the key, unless the key is over its limit already. */
  take(key: string, limit: RateLimit): RateVerdict;
}

const slotFields = 3;
const probes = 8;

/** Memory for so many keys at a time; every thread is given the same one. */
export function createRateMemory(slots = 65_536): SharedArrayBuffer {
  return new SharedArrayBuffer(slots * slotFields * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * Fixed windows counted in shared memory, so that all threads count as one. A key owns a slot of fingerprint,
 * window and count; a slot whose window has passed is free for another key. When all slots that a key may use are
 * taken by others it shares the first: limits get stricter under a flood of keys, memory never grows.
 */
export function createRateLimiter(memory: SharedArrayBuffer, now: () => number): RateLimiter {
  const cells = new Int32Array(memory);
  const slots = cells.length / slotFields;
  return {
    take(key, { requests, seconds }) {
      const time = Math.floor(now() / 1000);
      const window = Math.floor(time / seconds) | 0;
      const slot = findSlot(cells, slots, key, window, seconds);
      enterWindow(cells, slot + 1, slot + 2, window);
      const count = Atomics.add(cells, slot + 2, 1) + 1;
      const allowed = count <= requests;
      // A refused request is not counted, and the count cannot run over.
      if (!allowed) Atomics.sub(cells, slot + 2, 1);
      return { allowed, remaining: Math.max(0, requests - count), resetSeconds: seconds - (time % seconds) };
    },
  };
}

function findSlot(cells: Int32Array, slots: number, key: string, window: number, seconds: number): number {
  const hash = fnv1a(`${seconds} ${key}`, 0x811c9dc5);
  const fingerprint = fnv1a(key, 0x1234567) || 1;
  const first = (hash >>> 0) % slots;
  for (let probe = 0; probe < probes; probe++) {
    const slot = ((first + probe) % slots) * slotFields;
    if (Atomics.load(cells, slot) === fingerprint) return slot;
  }
  for (let probe = 0; probe < probes; probe++) {
    const slot = ((first + probe) % slots) * slotFields;
    const owner = Atomics.load(cells, slot);
    const free = owner === 0 || Atomics.load(cells, slot + 1) < window - 1;
    if (free && Atomics.compareExchange(cells, slot, owner, fingerprint) === owner) return slot;
    if (Atomics.load(cells, slot) === fingerprint) return slot;
  }
  return first * slotFields;
}

/** The first to come in a new window empties the count. */
function enterWindow(cells: Int32Array, windowCell: number, countCell: number, window: number): void {
  const held = Atomics.load(cells, windowCell);
  if (held !== window && Atomics.compareExchange(cells, windowCell, held, window) === held) {
    Atomics.store(cells, countCell, 0);
  }
}

function fnv1a(text: string, seed: number): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}
