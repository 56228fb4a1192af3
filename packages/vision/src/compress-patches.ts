import type { Kernels } from "./kernels.ts";
import { COLOUR_LENGTH, MAX_PATCHES, type Patches, SIFT_LENGTH } from "./patches.ts";

export const SIFT_COMPONENTS = 40;
export const COLOUR_COMPONENTS = 10;
const PLACE_LENGTH = 3;
export const TEXTURE_LENGTH = SIFT_COMPONENTS + PLACE_LENGTH;
export const TINT_LENGTH = COLOUR_COMPONENTS + PLACE_LENGTH;
const ROWS = Math.ceil(MAX_PATCHES / 4) * 4;

export interface PatchCompression {
  readonly siftMean: Float32Array;
  /** One principal direction a row. */
  readonly siftBasis: Float32Array;
  readonly colourMean: Float32Array;
  readonly colourBasis: Float32Array;
}

/** Compressed patches, one a row of `stride`: `length` numbers, padding, their squares, padding. */
export interface CompressedPatches {
  readonly length: number;
  readonly stride: number;
  readonly rows: Float32Array;
}

export const paddedLength = (length: number) => Math.ceil(length / 4) * 4;

/** Numbers that a compressor takes from the kernels' memory. */
export const COMPRESSOR_CAPACITY =
  ROWS * (SIFT_LENGTH + SIFT_COMPONENTS + 2 * paddedLength(TEXTURE_LENGTH) + 2 * paddedLength(TINT_LENGTH)) +
  SIFT_COMPONENTS * SIFT_LENGTH;

/** Brings patches to few numbers: their texture with their place, and their colours with their place. */
export function createCompressor(model: PatchCompression, kernels: Kernels) {
  const basis = kernels.allocate(SIFT_COMPONENTS * SIFT_LENGTH);
  basis.set(model.siftBasis);
  const sift = kernels.allocate(ROWS * SIFT_LENGTH);
  const projected = kernels.allocate(ROWS * SIFT_COMPONENTS);
  const shift = new Float32Array(SIFT_COMPONENTS);
  for (let i = 0; i < SIFT_COMPONENTS; i++) {
    for (let j = 0; j < SIFT_LENGTH; j++) {
      shift[i] = (shift[i] ?? 0) - (basis[i * SIFT_LENGTH + j] ?? 0) * (model.siftMean[j] ?? 0);
    }
  }
  const table = (length: number): CompressedPatches => {
    const stride = 2 * paddedLength(length);
    return { length, stride, rows: kernels.allocate(ROWS * stride) };
  };
  const texture = table(TEXTURE_LENGTH);
  const tint = table(TINT_LENGTH);
  return (patches: Patches) => {
    sift.set(patches.sift.subarray(0, patches.count * SIFT_LENGTH));
    const shape = { rows: patches.count, columns: SIFT_COMPONENTS, inner: SIFT_LENGTH };
    kernels.multiplyTransposed(sift, basis, projected, shape);
    for (let row = 0; row < patches.count; row++) {
      const to = row * texture.stride;
      for (let i = 0; i < SIFT_COMPONENTS; i++) {
        texture.rows[to + i] = (projected[row * SIFT_COMPONENTS + i] ?? 0) + (shift[i] ?? 0);
      }
      compressColour(model, patches.colour, row * COLOUR_LENGTH, tint.rows, row * tint.stride);
      finishRow(texture, row, patches.place);
      finishRow(tint, row, patches.place);
    }
    return { texture, tint };
  };
}

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

/** Adds the place to a row that has everything else, then the squares. */
function finishRow({ length, stride, rows }: CompressedPatches, row: number, place: Float32Array): void {
  const at = row * stride;
  for (let i = 0; i < PLACE_LENGTH; i++)
    rows[at + length - PLACE_LENGTH + i] = place[row * PLACE_LENGTH + i] ?? 0;
  for (let i = 0; i < length; i++) rows[at + stride / 2 + i] = (rows[at + i] ?? 0) ** 2;
}
