import { createKernels } from "../src/descriptor/kernels.ts";

const chunk = 256;

/** `a · bᵀ` for tables whose rows have `inner` numbers, computed by the kernels, a few rows of `a` at a time. */
export function productWithTransposed(
  a: Float32Array,
  b: Float32Array,
  inner: number,
): Float32Array<ArrayBuffer> {
  const rows = a.length / inner;
  const columns = b.length / inner;
  const padded = Math.ceil(inner / 4) * 4;
  const kernels = createKernels((chunk + columns) * padded + chunk * columns + 16);
  const left = kernels.allocate(chunk * padded);
  const right = kernels.allocate(columns * padded);
  const out = kernels.allocate(chunk * columns);
  copyRows(b, inner, right, padded);
  const product = new Float32Array(rows * columns);
  for (let from = 0; from < rows; from += chunk) {
    const count = Math.min(chunk, rows - from);
    copyRows(a.subarray(from * inner, (from + count) * inner), inner, left, padded);
    kernels.multiplyTransposed(left, right, out, { rows: count, columns, inner: padded });
    product.set(out.subarray(0, count * columns), from * columns);
  }
  return product;
}

function copyRows(from: Float32Array, length: number, to: Float32Array, stride: number): void {
  for (let row = 0; row * length < from.length; row++) {
    to.set(from.subarray(row * length, (row + 1) * length), row * stride);
  }
}

export function transposed(table: Float32Array, columns: number): Float32Array<ArrayBuffer> {
  const rows = table.length / columns;
  const out = new Float32Array(table.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++)
      out[column * rows + row] = table[row * columns + column] ?? 0;
  }
  return out;
}
