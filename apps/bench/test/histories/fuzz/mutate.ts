/** Numbers from 0 up to, but not including, 1. */
export type Random = () => number;

/** Mulberry32: the same seed gives the same numbers. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

export function oneOf<Item>(random: Random, items: readonly [Item, ...Item[]]): Item {
  return items[below(random, items.length)] ?? items[0];
}

const maxMutations = 6;
const maxRepeats = 200;

/** A valid input with a few errors: bytes changed, removed or repeated, or parts of the format inserted. */
export function mutate(
  random: Random,
  bytes: Uint8Array,
  pieces: readonly [string, ...string[]],
): Uint8Array<ArrayBuffer> {
  let mutated = new Uint8Array(bytes);
  for (let left = 1 + below(random, maxMutations); left > 0; left--) {
    mutated = mutateOnce(random, mutated, pieces);
  }
  return mutated;
}

function mutateOnce(
  random: Random,
  bytes: Uint8Array,
  pieces: readonly [string, ...string[]],
): Uint8Array<ArrayBuffer> {
  const from = below(random, bytes.length + 1);
  const to = Math.min(bytes.length, from + 1 + below(random, 40));
  switch (below(random, 5)) {
    case 0: {
      const changed = new Uint8Array(bytes);
      if (from < changed.length) changed[from] = below(random, 256);
      return changed;
    }
    case 1:
      return join(bytes.subarray(0, from), bytes.subarray(to));
    case 2: {
      const repeated = Array.from({ length: below(random, maxRepeats) }, () => bytes.subarray(from, to));
      return join(bytes.subarray(0, to), ...repeated, bytes.subarray(to));
    }
    case 3:
      return join(bytes.subarray(0, from), Buffer.from(oneOf(random, pieces)), bytes.subarray(from));
    default:
      return join(bytes.subarray(0, from));
  }
}

function join(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts));
}
