/** Generators of numbers and fast-check take seeds of 31 bits. */
const maxSeed = 2 ** 31 - 1;

/** SEED, which repeats a run of random tests. */
export function namedSeed(): number | undefined {
  const { SEED } = process.env;
  if (SEED === undefined || SEED === "") return undefined;
  const seed = Number(SEED);
  if (!/^\d+$/.test(SEED) || seed > maxSeed) {
    throw new Error(`SEED=${SEED}: write a whole number from 0 to ${maxSeed}, as a test printed it.`);
  }
  return seed;
}

/** SEED, or else the seed that the test always starts with, or else a new one. Printed, so that every run can be repeated. */
export function testSeed(test: string, fixed?: number): number {
  const seed = namedSeed() ?? fixed ?? Math.floor(Math.random() * maxSeed);
  console.log(`The seed of ${test} is ${seed}. To repeat it: SEED=${seed}`);
  return seed;
}

export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** From `least` to `most`, inclusive. */
  integer(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
}

/** Mulberry32: the same numbers for the same seed, on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    integer: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    pick: (values) => values[Math.floor(next() * values.length)] ?? values[0],
  };
}
