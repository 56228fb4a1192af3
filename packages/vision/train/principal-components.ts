import { EigenvalueDecomposition, Matrix } from "ml-matrix";

export interface Components {
  readonly mean: Float32Array;
  /** One direction per row, the one with the largest variance first. */
  readonly basis: Float32Array;
}

/** The principal components of `rows`, a table of `length` columns. */
export function principalComponents(rows: Float32Array, length: number, components: number): Components {
  const count = rows.length / length;
  const mean = new Float64Array(length);
  for (let i = 0; i < rows.length; i++) mean[i % length] = (mean[i % length] ?? 0) + (rows[i] ?? 0) / count;
  const covariance = Matrix.zeros(length, length);
  const centred = new Float64Array(length);
  for (let row = 0; row < count; row++) {
    for (let i = 0; i < length; i++) centred[i] = (rows[row * length + i] ?? 0) - (mean[i] ?? 0);
    for (let i = 0; i < length; i++) {
      const value = centred[i] ?? 0;
      for (let j = i; j < length; j++) covariance.set(i, j, covariance.get(i, j) + value * (centred[j] ?? 0));
    }
  }
  for (let i = 0; i < length; i++) for (let j = 0; j < i; j++) covariance.set(i, j, covariance.get(j, i));
  const vectors = new EigenvalueDecomposition(covariance, { assumeSymmetric: true }).eigenvectorMatrix;
  const basis = new Float32Array(components * length);
  for (let component = 0; component < components; component++) {
    for (let i = 0; i < length; i++) basis[component * length + i] = vectors.get(i, length - 1 - component);
  }
  return { mean: Float32Array.from(mean), basis };
}
