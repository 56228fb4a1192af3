import { EigenvalueDecomposition, Matrix } from "ml-matrix";

export interface Eigen {
  /** Largest first. */
  readonly values: Float64Array;
  /** The vectors of the values, one per row. */
  readonly vectors: Float32Array;
}

/** Eigenvalues and eigenvectors of a symmetric table of `size` rows. */
export function symmetricEigen(table: Float32Array | Float64Array, size: number): Eigen {
  const matrix = Matrix.from1DArray(size, size, table);
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(matrix, {
    assumeSymmetric: true,
  });
  const order = realEigenvalues
    .map((_, index) => index)
    .sort((a, b) => (realEigenvalues[b] ?? 0) - (realEigenvalues[a] ?? 0));
  const vectors = new Float32Array(size * size);
  order.forEach((from, row) => {
    for (let i = 0; i < size; i++) vectors[row * size + i] = eigenvectorMatrix.get(i, from);
  });
  return { values: Float64Array.from(order, (from) => realEigenvalues[from] ?? 0), vectors };
}
