/** Space for this many keys at a time. */
export const defaultSlots = 65_536;

const probes = 8;

/**
 * Slots of equal size in memory that all threads share. The first cell holds a key's fingerprint, the second its
 * window.
 */
export interface RateSlots {
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
