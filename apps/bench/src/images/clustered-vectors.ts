/** The same numbers in every run: xorshift of 32 bits. */
export function createRandom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Close to a normal distribution, at the price of four numbers. */
function bell(random: () => number): number {
  return random() + random() + random() + random() - 2;
}

/**
 * Vectors of length 1 in clusters, as images of a catalog are: kinds of products, and around each its variants. Vector
 * `n` is made from its number alone, so that a million need not be kept.
 */
export function createClusteredVectors(dimensions: number, clusters: number, spread: number) {
  const random = createRandom(7);
  const centres = Float32Array.from({ length: clusters * dimensions }, () => bell(random));
  return {
    vector(n: number): Float32Array {
      const own = createRandom((n + 1) * 2_654_435_761);
      for (let warmUp = 0; warmUp < 8; warmUp++) own();
      const centre = Math.floor(own() * clusters) * dimensions;
      const vector = new Float32Array(dimensions);
      let sum = 0;
      for (let i = 0; i < dimensions; i++) {
        const value = (centres[centre + i] ?? 0) + spread * bell(own);
        vector[i] = value;
        sum += value * value;
      }
      const scale = 1 / Math.sqrt(sum);
      return vector.map((value) => value * scale);
    },
  };
}
