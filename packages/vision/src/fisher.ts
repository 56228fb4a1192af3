import type { Kernels } from "./kernels.ts";
import { COLOUR_LENGTH, MAX_PATCHES, type Patches, SIFT_LENGTH } from "./patches.ts";

export const SIFT_COMPONENTS = 40;
export const COLOUR_COMPONENTS = 10;
/** Of a patch after compression: appearance, colour, place. */
export const PATCH_LENGTH = SIFT_COMPONENTS + COLOUR_COMPONENTS + 3;
export const WORDS = 32;
export const FISHER_LENGTH = 2 * WORDS * PATCH_LENGTH;
const PADDED = Math.ceil(PATCH_LENGTH / 4) * 4;
const ROWS = Math.ceil(MAX_PATCHES / 4) * 4;
const NEGLIGIBLE = Math.log(1e-4);
const PLACE_SCALE = 1;

export interface PatchCompression {
  readonly siftMean: Float32Array;
  /** One principal direction a row. */
  readonly siftBasis: Float32Array;
  readonly colourMean: Float32Array;
  readonly colourBasis: Float32Array;
}

/** A mixture of Gaussians with diagonal covariances over compressed patches. */
export interface Vocabulary {
  readonly shares: Float32Array;
  readonly means: Float32Array;
  readonly variances: Float32Array;
}

/** Numbers that an encoder takes from the kernels' memory. */
export const FISHER_CAPACITY =
  ROWS * (SIFT_LENGTH + SIFT_COMPONENTS + 2 * WORDS + 4 * PADDED) +
  SIFT_COMPONENTS * SIFT_LENGTH +
  4 * WORDS * PADDED;

/** Brings patches to `PATCH_LENGTH` numbers each. The result, one patch a row of `stride`, is overwritten by the next call. */
export function createCompressor(model: PatchCompression, kernels: Kernels) {
  const basis = kernels.allocate(SIFT_COMPONENTS * SIFT_LENGTH);
  basis.set(model.siftBasis);
  const sift = kernels.allocate(ROWS * SIFT_LENGTH);
  const projected = kernels.allocate(ROWS * SIFT_COMPONENTS);
  const rows = kernels.allocate(ROWS * PADDED * 2);
  const shift = new Float32Array(SIFT_COMPONENTS);
  for (let i = 0; i < SIFT_COMPONENTS; i++) {
    for (let j = 0; j < SIFT_LENGTH; j++) {
      shift[i] = (shift[i] ?? 0) - (basis[i * SIFT_LENGTH + j] ?? 0) * (model.siftMean[j] ?? 0);
    }
  }
  return (patches: Patches): Float32Array => {
    sift.set(patches.sift.subarray(0, patches.count * SIFT_LENGTH));
    const shape = { rows: patches.count, columns: SIFT_COMPONENTS, inner: SIFT_LENGTH };
    kernels.multiplyTransposed(sift, basis, projected, shape);
    for (let row = 0; row < patches.count; row++) {
      const to = row * PADDED * 2;
      for (let i = 0; i < SIFT_COMPONENTS; i++) {
        rows[to + i] = (projected[row * SIFT_COMPONENTS + i] ?? 0) + (shift[i] ?? 0);
      }
      compressColour(model, patches.colour, row * COLOUR_LENGTH, rows, to + SIFT_COMPONENTS);
      for (let i = 0; i < 3; i++) {
        rows[to + SIFT_COMPONENTS + COLOUR_COMPONENTS + i] = (patches.place[row * 3 + i] ?? 0) * PLACE_SCALE;
      }
      for (let i = 0; i < PATCH_LENGTH; i++) rows[to + PADDED + i] = (rows[to + i] ?? 0) ** 2;
    }
    return rows;
  };
}

/** Numbers from one compressed patch to the next: the patch, padded, then its squares, padded. */
export const COMPRESSED_STRIDE = PADDED * 2;

function compressColour(
  model: PatchCompression,
  colour: Float32Array,
  at: number,
  out: Float32Array,
  to: number,
): void {
  for (let i = 0; i < COLOUR_COMPONENTS; i++) {
    let sum = 0;
    for (let j = 0; j < COLOUR_LENGTH; j++) {
      sum +=
        (model.colourBasis[i * COLOUR_LENGTH + j] ?? 0) *
        ((colour[at + j] ?? 0) - (model.colourMean[j] ?? 0));
    }
    out[to + i] = sum;
  }
}

/**
 * The Fisher vector of an object's patches (Sánchez et al., 2013), each patch counted by its weight: how the mean and
 * the variance of the patches next to each word differ from the word's own.
 */
export function createFisherEncoder(compression: PatchCompression, vocabulary: Vocabulary, kernels: Kernels) {
  const compress = createCompressor(compression, kernels);
  const { linear, constants } = logLikelihood(vocabulary, kernels);
  const scores = kernels.allocate(ROWS * WORDS);
  const posteriors = kernels.allocate(WORDS * ROWS);
  const columns = kernels.allocate(COMPRESSED_STRIDE * ROWS);
  const sums = kernels.allocate(WORDS * COMPRESSED_STRIDE);
  return (patches: Patches, out: Float32Array): void => {
    const rows = compress(patches);
    const count = patches.count;
    const inner = Math.ceil(count / 4) * 4;
    kernels.multiplyTransposed(rows, linear, scores, {
      rows: count,
      columns: WORDS,
      inner: COMPRESSED_STRIDE,
    });
    const shares = fillPosteriors(scores, constants, patches, posteriors, inner);
    for (let i = 0; i < COMPRESSED_STRIDE; i++) {
      const to = i * inner;
      for (let row = 0, at = i; row < count; row++, at += COMPRESSED_STRIDE)
        columns[to + row] = rows[at] ?? 0;
      columns.fill(0, to + count, to + inner);
    }
    kernels.multiplyTransposed(posteriors, columns, sums, { rows: WORDS, columns: COMPRESSED_STRIDE, inner });
    writeDeviations(vocabulary, sums, shares, out);
  };
}

/** log(share · density) is linear in a patch and its squares. */
function logLikelihood({ shares, means, variances }: Vocabulary, kernels: Kernels) {
  const linear = kernels.allocate(WORDS * COMPRESSED_STRIDE);
  const constants = new Float32Array(WORDS);
  for (let word = 0; word < WORDS; word++) {
    let constant = Math.log(shares[word] ?? 0);
    for (let i = 0; i < PATCH_LENGTH; i++) {
      const mean = means[word * PATCH_LENGTH + i] ?? 0;
      const variance = variances[word * PATCH_LENGTH + i] ?? 1;
      linear[word * COMPRESSED_STRIDE + i] = mean / variance;
      linear[word * COMPRESSED_STRIDE + PADDED + i] = -0.5 / variance;
      constant -= 0.5 * (Math.log(variance) + (mean * mean) / variance);
    }
    constants[word] = constant;
  }
  return { linear, constants };
}

/** Writes each patch's weighted posteriors, a word a row, and returns each word's sum over the weights' total. */
function fillPosteriors(
  scores: Float32Array,
  constants: Float32Array,
  { count, weight }: Patches,
  posteriors: Float32Array,
  inner: number,
): Float64Array {
  const shares = new Float64Array(WORDS);
  posteriors.fill(0, 0, WORDS * inner);
  let total = 1e-9;
  for (let row = 0; row < count; row++) total += weight[row] ?? 0;
  for (let row = 0, at = 0; row < count; row++, at += WORDS) {
    let best = Number.NEGATIVE_INFINITY;
    for (let word = 0; word < WORDS; word++) {
      const score = (scores[at + word] ?? 0) + (constants[word] ?? 0);
      scores[at + word] = score;
      if (score > best) best = score;
    }
    let sum = 0;
    for (let word = 0; word < WORDS; word++) {
      const below = (scores[at + word] ?? 0) - best;
      const density = below < NEGLIGIBLE ? 0 : Math.exp(below);
      scores[at + word] = density;
      sum += density;
    }
    const scale = (weight[row] ?? 0) / (sum * total);
    for (let word = 0; word < WORDS; word++) {
      const share = (scores[at + word] ?? 0) * scale;
      if (share === 0) continue;
      posteriors[word * inner + row] = share;
      shares[word] = (shares[word] ?? 0) + share;
    }
  }
  return shares;
}

function writeDeviations(
  vocabulary: Vocabulary,
  sums: Float32Array,
  shares: Float64Array,
  out: Float32Array,
): void {
  for (let word = 0; word < WORDS; word++) {
    const share = shares[word] ?? 0;
    const scale = 1 / Math.sqrt(vocabulary.shares[word] ?? 1);
    for (let i = 0; i < PATCH_LENGTH; i++) {
      const mean = vocabulary.means[word * PATCH_LENGTH + i] ?? 0;
      const variance = vocabulary.variances[word * PATCH_LENGTH + i] ?? 1;
      const first = sums[word * COMPRESSED_STRIDE + i] ?? 0;
      const second = sums[word * COMPRESSED_STRIDE + PADDED + i] ?? 0;
      const centred = second - 2 * mean * first + share * mean * mean;
      out[word * 2 * PATCH_LENGTH + i] = ((first - share * mean) / Math.sqrt(variance)) * scale;
      out[(word * 2 + 1) * PATCH_LENGTH + i] = ((centred / variance - share) * scale) / Math.SQRT2;
    }
  }
}
