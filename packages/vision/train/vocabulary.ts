import { PATCH_LENGTH, type Vocabulary, WORDS } from "../src/fisher.ts";

const ROUNDS = 25;
const MIN_VARIANCE_SHARE = 0.02;

/** Fits the mixture by expectation and maximisation to `patches`, one a row of `PATCH_LENGTH`. */
export function fitVocabulary(patches: Float32Array, random: () => number): Vocabulary {
  const count = patches.length / PATCH_LENGTH;
  const spread = variances(patches, count);
  const means = new Float32Array(WORDS * PATCH_LENGTH);
  for (let word = 0; word < WORDS; word++) {
    const row = Math.floor(random() * count) * PATCH_LENGTH;
    means.set(patches.subarray(row, row + PATCH_LENGTH), word * PATCH_LENGTH);
  }
  let vocabulary: Vocabulary = {
    shares: new Float32Array(WORDS).fill(1 / WORDS),
    means,
    variances: Float32Array.from({ length: WORDS * PATCH_LENGTH }, (_, i) => spread[i % PATCH_LENGTH] ?? 1),
  };
  for (let round = 0; round < ROUNDS; round++) vocabulary = improve(vocabulary, patches, count, spread);
  return vocabulary;
}

function variances(patches: Float32Array, count: number): Float64Array {
  const sums = new Float64Array(PATCH_LENGTH);
  const squares = new Float64Array(PATCH_LENGTH);
  for (let at = 0; at < patches.length; at++) {
    const value = patches[at] ?? 0;
    sums[at % PATCH_LENGTH] = (sums[at % PATCH_LENGTH] ?? 0) + value / count;
    squares[at % PATCH_LENGTH] = (squares[at % PATCH_LENGTH] ?? 0) + (value * value) / count;
  }
  return squares.map((square, i) => square - (sums[i] ?? 0) ** 2);
}

function improve(old: Vocabulary, patches: Float32Array, count: number, spread: Float64Array): Vocabulary {
  const shares = new Float64Array(WORDS);
  const sums = new Float64Array(WORDS * PATCH_LENGTH);
  const squares = new Float64Array(WORDS * PATCH_LENGTH);
  const scores = new Float64Array(WORDS);
  const constants = Float64Array.from({ length: WORDS }, (_, word) => {
    let constant = Math.log(old.shares[word] ?? 0);
    for (let i = 0; i < PATCH_LENGTH; i++)
      constant -= 0.5 * Math.log(old.variances[word * PATCH_LENGTH + i] ?? 1);
    return constant;
  });
  for (let row = 0; row < count; row++) {
    const at = row * PATCH_LENGTH;
    let best = Number.NEGATIVE_INFINITY;
    for (let word = 0; word < WORDS; word++) {
      let score = constants[word] ?? 0;
      for (let i = 0, w = word * PATCH_LENGTH; i < PATCH_LENGTH; i++, w++) {
        const off = (patches[at + i] ?? 0) - (old.means[w] ?? 0);
        score -= (0.5 * off * off) / (old.variances[w] ?? 1);
      }
      scores[word] = score;
      if (score > best) best = score;
    }
    let total = 0;
    for (let word = 0; word < WORDS; word++) total += scores[word] = Math.exp((scores[word] ?? 0) - best);
    for (let word = 0; word < WORDS; word++) {
      const share = (scores[word] ?? 0) / total;
      if (share < 1e-4) continue;
      shares[word] = (shares[word] ?? 0) + share;
      for (let i = 0, w = word * PATCH_LENGTH; i < PATCH_LENGTH; i++, w++) {
        const value = patches[at + i] ?? 0;
        sums[w] = (sums[w] ?? 0) + share * value;
        squares[w] = (squares[w] ?? 0) + share * value * value;
      }
    }
  }
  const means = new Float32Array(sums.length);
  const variances = new Float32Array(sums.length);
  for (let w = 0; w < sums.length; w++) {
    const members = (shares[Math.floor(w / PATCH_LENGTH)] ?? 0) + 1e-6;
    means[w] = (sums[w] ?? 0) / members;
    const floor = MIN_VARIANCE_SHARE * (spread[w % PATCH_LENGTH] ?? 1);
    variances[w] = Math.max(floor, (squares[w] ?? 0) / members - (means[w] ?? 0) ** 2);
  }
  return { shares: Float32Array.from(shares, (share) => (share + 1e-6) / count), means, variances };
}
