import { createKernels } from "./kernels.ts";

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
