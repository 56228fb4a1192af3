import { instantiateKernels } from "@product-search/kernels";
import { colourLength, maxPatches, type Patches, siftLength } from "./patches.ts";

const page = 65_536;

/** Matrix arithmetic in WebAssembly, in its own memory; see `packages/kernels`. */
export interface Kernels {
  /** Allocates zeros inside the WebAssembly memory, where the kernels can read them. They are never freed. */
  allocate(length: number): Float32Array<ArrayBuffer>;
  /**
   * `c = a · bᵀ`. The matrices are stored row by row and come from `allocate`: `a` has `rows` rows and `b` has `columns`,
   * both of `inner` numbers, which must be a multiple of 4.
   */
  multiplyTransposed(
    a: Float32Array,
    b: Float32Array,
    c: Float32Array,
    shape: { rows: number; columns: number; inner: number },
  ): void;
}

/** `capacity` is in numbers, over all allocations together. */
export function createKernels(capacity: number): Kernels {
  const pages = Math.ceil((capacity * 4) / page) + 2;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const { multiplyTransposed } = instantiateKernels("images", memory, ["multiplyTransposed"]);
  let next = page;
  return {
    allocate(length) {
      const view = new Float32Array(memory.buffer, next, length);
      next += Math.ceil(length / 4) * 16;
      return view;
    },
    multiplyTransposed(a, b, c, { rows, columns, inner }) {
      multiplyTransposed(a.byteOffset, b.byteOffset, c.byteOffset, rows, columns, inner);
    },
  };
}

/** The centred features times `rows` (one direction per row) give the descriptor. Their number is a multiple of 4. */
export interface Projection {
  readonly mean: Float32Array;
  readonly rows: Float32Array;
}

export function createProjector({ mean, rows }: Projection): (features: Float32Array) => Float32Array {
  const inner = mean.length;
  const columns = rows.length / inner;
  const kernels = createKernels(rows.length + inner + columns);
  const matrix = kernels.allocate(rows.length);
  const centred = kernels.allocate(inner);
  const projected = kernels.allocate(columns);
  matrix.set(rows);
  return (features) => {
    for (let i = 0; i < inner; i++) centred[i] = (features[i] ?? 0) - (mean[i] ?? 0);
    kernels.multiplyTransposed(centred, matrix, projected, { rows: 1, columns, inner });
    return unitLength(projected);
  };
}

/** A copy of length 1. The null vector has no direction and becomes the first axis. */
export function unitLength(values: Float32Array): Float32Array {
  let squares = 0;
  for (const value of values) squares += value * value;
  if (squares < 1e-20) return Float32Array.from(values, (_, i) => (i === 0 ? 1 : 0));
  const scale = 1 / Math.sqrt(squares);
  return Float32Array.from(values, (value) => value * scale);
}

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
