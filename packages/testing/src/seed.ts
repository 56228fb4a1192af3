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
