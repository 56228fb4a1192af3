import { type CompressedPatches, type Kernels, paddedLength } from "./compress-patches.ts";
import { maxPatches, type Patches } from "./patches.ts";

const paddedRows = Math.ceil(maxPatches / 4) * 4;
const negligible = Math.log(1e-4);

/** A mixture of Gaussians with diagonal covariances over compressed patches of `length` numbers. */
export interface Vocabulary {
  readonly length: number;
  /** One number per word. */
  readonly shares: Float32Array;
  /** One word per row. */
  readonly means: Float32Array;
  readonly variances: Float32Array;
}

export function fisherLength(words: number, length: number): number {
  return 2 * words * length;
}

/** How many numbers an encoder allocates in the kernels' memory. */
export function fisherCapacity(words: number, length: number): number {
  const stride = 2 * paddedLength(length);
  return paddedRows * (2 * words + stride) + 2 * words * stride + 16;
}

/**
 * The Fisher vector of an object's patches (Sánchez et al., 2013), weighted by patch: how far the mean and the variance
 * of the patches nearest to each word differ from those of the word.
 */
export function createFisherEncoder(vocabulary: Vocabulary, kernels: Kernels) {
  const { linear, constants, stride } = logLikelihood(vocabulary, kernels);
  const words = vocabulary.shares.length;
  const scores = kernels.allocate(paddedRows * words);
  const posteriors = kernels.allocate(words * paddedRows);
  const columns = kernels.allocate(stride * paddedRows);
  const sums = kernels.allocate(words * stride);
  return ({ rows }: CompressedPatches, patches: Patches, out: Float32Array): void => {
    const { count } = patches;
    const inner = Math.ceil(count / 4) * 4;
    kernels.multiplyTransposed(rows, linear, scores, { rows: count, columns: words, inner: stride });
    const shares = fillPosteriors(scores, constants, patches, posteriors, inner);
    for (let i = 0; i < stride; i++) {
      const to = i * inner;
      for (let row = 0, at = i; row < count; row++, at += stride) columns[to + row] = rows[at] ?? 0;
      columns.fill(0, to + count, to + inner);
    }
    kernels.multiplyTransposed(posteriors, columns, sums, { rows: words, columns: stride, inner });
    writeDeviations(vocabulary, sums, stride, shares, out);
  };
}

/** log(share · density) is linear in a patch and its squares. */
function logLikelihood({ length, shares, means, variances }: Vocabulary, kernels: Kernels) {
  const words = shares.length;
  const stride = 2 * paddedLength(length);
  const linear = kernels.allocate(words * stride);
  const constants = new Float32Array(words);
  for (let word = 0; word < words; word++) {
    let constant = Math.log(shares[word] ?? 0);
    for (let i = 0; i < length; i++) {
      const mean = means[word * length + i] ?? 0;
      const variance = variances[word * length + i] ?? 1;
      linear[word * stride + i] = mean / variance;
      linear[word * stride + stride / 2 + i] = -0.5 / variance;
      constant -= 0.5 * (Math.log(variance) + (mean * mean) / variance);
    }
    constants[word] = constant;
  }
  return { linear, constants, stride };
}

/** Writes each patch's weighted posteriors, one word per row. Returns each word's sum divided by the total weight. */
function fillPosteriors(
  scores: Float32Array,
  constants: Float32Array,
  { count, weight: weights }: Patches,
  posteriors: Float32Array,
  inner: number,
): Float64Array {
  const words = constants.length;
  const shares = new Float64Array(words);
  posteriors.fill(0, 0, words * inner);
  let total = 1e-9;
  for (let row = 0; row < count; row++) total += weights[row] ?? 0;
  for (let row = 0, at = 0; row < count; row++, at += words) {
    let best = Number.NEGATIVE_INFINITY;
    for (let word = 0; word < words; word++) {
      const score = (scores[at + word] ?? 0) + (constants[word] ?? 0);
      scores[at + word] = score;
      if (score > best) best = score;
    }
    let sum = 0;
    for (let word = 0; word < words; word++) {
      const below = (scores[at + word] ?? 0) - best;
      const density = below < negligible ? 0 : Math.exp(below);
      scores[at + word] = density;
      sum += density;
    }
    const scale = (weights[row] ?? 0) / (sum * total);
    for (let word = 0; word < words; word++) {
      const share = (scores[at + word] ?? 0) * scale;
      if (share === 0) continue;
      posteriors[word * inner + row] = share;
      shares[word] = (shares[word] ?? 0) + share;
    }
  }
  return shares;
}

function writeDeviations(
  { length, shares: expected, means, variances }: Vocabulary,
  sums: Float32Array,
  stride: number,
  shares: Float64Array,
  out: Float32Array,
): void {
  for (let word = 0; word < expected.length; word++) {
    const share = shares[word] ?? 0;
    const scale = 1 / Math.sqrt(expected[word] ?? 1);
    for (let i = 0; i < length; i++) {
      const mean = means[word * length + i] ?? 0;
      const variance = variances[word * length + i] ?? 1;
      const first = sums[word * stride + i] ?? 0;
      const second = sums[word * stride + stride / 2 + i] ?? 0;
      const centred = second - 2 * mean * first + share * mean * mean;
      out[word * 2 * length + i] = ((first - share * mean) / Math.sqrt(variance)) * scale;
      out[(word * 2 + 1) * length + i] = ((centred / variance - share) * scale) / Math.SQRT2;
    }
  }
}
