/** Xorshift with 32 bits: the same numbers in every run. */
export function createRandom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Approximates a normal distribution with four random numbers. */
function bell(random: () => number): number {
  return random() + random() + random() + random() - 2;
}

/**
 * Vectors of length 1 in clusters, like the images of a catalog: kinds of products, each with variants around it. Vector
 * `n` is computed from its number alone, so that a million vectors need not be stored.
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
