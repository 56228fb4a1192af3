import type { Kernels } from "./kernels.ts";
import { colourLength, maxPatches, type Patches, siftLength } from "./patches.ts";

export const siftComponents = 40;
export const colourComponents = 10;
const placeLength = 3;
export const textureLength = siftComponents + placeLength;
export const tintLength = colourComponents + placeLength;
const paddedRows = Math.ceil(maxPatches / 4) * 4;

export interface PatchCompression {
  readonly siftMean: Float32Array;
  /** One principal direction per row. */
  readonly siftBasis: Float32Array;
  readonly colourMean: Float32Array;
  readonly colourBasis: Float32Array;
}

/** Compressed patches, one per row of `stride`: `length` numbers, padding, their squares, padding. */
export interface CompressedPatches {
  readonly length: number;
  readonly stride: number;
  readonly rows: Float32Array;
}

export const paddedLength = (length: number) => Math.ceil(length / 4) * 4;

/** How many numbers a compressor allocates in the kernels' memory. */
export const compressorCapacity =
  paddedRows *
    (siftLength + siftComponents + 2 * paddedLength(textureLength) + 2 * paddedLength(tintLength)) +
  siftComponents * siftLength;

/** Reduces patches to few numbers: their texture and position, and their colours and position. */
export function createCompressor(model: PatchCompression, kernels: Kernels) {
  const basis = kernels.allocate(siftComponents * siftLength);
  basis.set(model.siftBasis);
  const sift = kernels.allocate(paddedRows * siftLength);
  const projected = kernels.allocate(paddedRows * siftComponents);
  const shift = new Float32Array(siftComponents);
  for (let i = 0; i < siftComponents; i++) {
    for (let j = 0; j < siftLength; j++) {
      shift[i] = (shift[i] ?? 0) - (basis[i * siftLength + j] ?? 0) * (model.siftMean[j] ?? 0);
    }
  }
  const table = (length: number): CompressedPatches => {
    const stride = 2 * paddedLength(length);
    return { length, stride, rows: kernels.allocate(paddedRows * stride) };
  };
  const texture = table(textureLength);
  const tint = table(tintLength);
  return (patches: Patches) => {
    sift.set(patches.sift.subarray(0, patches.count * siftLength));
    const shape = { rows: patches.count, columns: siftComponents, inner: siftLength };
    kernels.multiplyTransposed(sift, basis, projected, shape);
    for (let row = 0; row < patches.count; row++) {
      const to = row * texture.stride;
      for (let i = 0; i < siftComponents; i++) {
        texture.rows[to + i] = (projected[row * siftComponents + i] ?? 0) + (shift[i] ?? 0);
      }
      compressColour(model, patches.colour, row * colourLength, tint.rows, row * tint.stride);
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
  for (let i = 0; i < colourComponents; i++) {
    let sum = 0;
    for (let j = 0; j < colourLength; j++) {
      sum +=
        (model.colourBasis[i * colourLength + j] ?? 0) * ((colour[at + j] ?? 0) - (model.colourMean[j] ?? 0));
    }
    out[to + i] = sum;
  }
}

/** Adds the position to a row that is otherwise complete, then the squares. */
function finishRow({ length, stride, rows }: CompressedPatches, row: number, place: Float32Array): void {
  const at = row * stride;
  for (let i = 0; i < placeLength; i++)
    rows[at + length - placeLength + i] = place[row * placeLength + i] ?? 0;
  for (let i = 0; i < length; i++) rows[at + stride / 2 + i] = (rows[at + i] ?? 0) ** 2;
}
