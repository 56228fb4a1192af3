/** Random-looking numbers that are always the same for a seed (the generator "mulberry32"). */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  between(min: number, max: number): number;
  /** A whole number, both bounds inclusive. */
  integer(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** `count` different items, or all if there are fewer. */
  several<Item>(items: readonly Item[], count: number): Item[];
}

export function createRandom(seed: number): Random {
  let state = scramble(seed);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    return scramble(state) / 2 ** 32;
  };
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    between: (min, max) => min + next() * (max - min),
    integer,
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new RangeError("There is nothing to pick from.");
      return item;
    },
    several: (items, count) =>
      items
        .map((item) => ({ item, order: next() }))
        .sort((one, other) => one.order - other.order)
        .slice(0, count)
        .map(({ item }) => item),
  };
}

/** Mixes the seed, because similar seeds must not give similar numbers. */
function scramble(seed: number): number {
  let mixed = seed | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return (mixed ^ (mixed >>> 14)) >>> 0;
}
