import type { Vocabulary } from "../src/descriptor/fisher.ts";

const rounds = 25;
const minVarianceShare = 0.02;

/** Fits a mixture of `words` Gaussians to `patches` (one per row of `length`) by expectation-maximisation. */
export function fitVocabulary(
  patches: Float32Array,
  { length, words }: { length: number; words: number },
  random: () => number,
): Vocabulary {
  const count = patches.length / length;
  const spread = columnVariances(patches, length);
  const means = new Float32Array(words * length);
  for (let word = 0; word < words; word++) {
    const row = Math.floor(random() * count) * length;
    means.set(patches.subarray(row, row + length), word * length);
  }
  let vocabulary: Vocabulary = {
    length,
    shares: new Float32Array(words).fill(1 / words),
    means,
    variances: Float32Array.from({ length: words * length }, (_, i) => spread[i % length] ?? 1),
  };
  for (let round = 0; round < rounds; round++) vocabulary = improve(vocabulary, patches, count, spread);
  return vocabulary;
}

function columnVariances(patches: Float32Array, length: number): Float64Array {
  const count = patches.length / length;
  const sums = new Float64Array(length);
  const squares = new Float64Array(length);
  for (let at = 0; at < patches.length; at++) {
    const value = patches[at] ?? 0;
    sums[at % length] = (sums[at % length] ?? 0) + value / count;
    squares[at % length] = (squares[at % length] ?? 0) + (value * value) / count;
  }
  return squares.map((square, i) => square - (sums[i] ?? 0) ** 2);
}

function improve(old: Vocabulary, patches: Float32Array, count: number, spread: Float64Array): Vocabulary {
  const { length } = old;
  const words = old.shares.length;
  const shares = new Float64Array(words);
  const sums = new Float64Array(words * length);
  const squares = new Float64Array(words * length);
  const scores = new Float64Array(words);
  const constants = Float64Array.from({ length: words }, (_, word) => {
    let constant = Math.log(old.shares[word] ?? 0);
    for (let i = 0; i < length; i++) constant -= 0.5 * Math.log(old.variances[word * length + i] ?? 1);
    return constant;
  });
  for (let row = 0; row < count; row++) {
    const at = row * length;
    let best = Number.NEGATIVE_INFINITY;
    for (let word = 0; word < words; word++) {
      let score = constants[word] ?? 0;
      for (let i = 0, w = word * length; i < length; i++, w++) {
        const off = (patches[at + i] ?? 0) - (old.means[w] ?? 0);
        score -= (0.5 * off * off) / (old.variances[w] ?? 1);
      }
      scores[word] = score;
      if (score > best) best = score;
    }
    let total = 0;
    for (let word = 0; word < words; word++) total += scores[word] = Math.exp((scores[word] ?? 0) - best);
    for (let word = 0; word < words; word++) {
      const share = (scores[word] ?? 0) / total;
      if (share < 1e-4) continue;
      shares[word] = (shares[word] ?? 0) + share;
      for (let i = 0, w = word * length; i < length; i++, w++) {
        const value = patches[at + i] ?? 0;
        sums[w] = (sums[w] ?? 0) + share * value;
        squares[w] = (squares[w] ?? 0) + share * value * value;
      }
    }
  }
  const means = new Float32Array(sums.length);
  const variances = new Float32Array(sums.length);
  for (let w = 0; w < sums.length; w++) {
    const members = (shares[Math.floor(w / length)] ?? 0) + 1e-6;
    means[w] = (sums[w] ?? 0) / members;
    const floor = minVarianceShare * (spread[w % length] ?? 1);
    variances[w] = Math.max(floor, (squares[w] ?? 0) / members - (means[w] ?? 0) ** 2);
  }
  return { length, shares: Float32Array.from(shares, (share) => (share + 1e-6) / count), means, variances };
}
