import { productWithTransposed } from "../train/matrix-product.ts";

/** Vectors of length 1, one per row, with what each stands for. */
export interface Gallery {
  readonly vectors: Float32Array;
  readonly dimensions: number;
}

/** For each query, the gallery's rows, most similar first; `same` rows (the query itself) are left out. */
export function rank(
  queries: Gallery,
  gallery: Gallery,
  same: (query: number, row: number) => boolean,
): number[][] {
  const rows = gallery.vectors.length / gallery.dimensions;
  const count = queries.vectors.length / queries.dimensions;
  const scores = productWithTransposed(queries.vectors, gallery.vectors, gallery.dimensions);
  return Array.from({ length: count }, (_, query) => {
    const score = (row: number) => scores[query * rows + row] ?? 0;
    const candidates = Array.from({ length: rows }, (_, row) => row).filter((row) => !same(query, row));
    return candidates.sort((a, b) => score(b) - score(a));
  });
}

/** The rows of a table with the given indices. */
export function pickRows(table: Float32Array, dimensions: number, indices: readonly number[]): Gallery {
  const vectors = new Float32Array(indices.length * dimensions);
  for (const [to, from] of indices.entries()) {
    vectors.set(table.subarray(from * dimensions, (from + 1) * dimensions), to * dimensions);
  }
  return { vectors, dimensions };
}

export function precisionAt10(ranking: readonly number[], relevant: (row: number) => boolean): number {
  return ranking.slice(0, 10).filter(relevant).length / 10;
}

export function averagePrecision(ranking: readonly number[], relevant: (row: number) => boolean): number {
  let found = 0;
  let sum = 0;
  for (const [index, row] of ranking.entries()) {
    if (!relevant(row)) continue;
    found++;
    sum += found / (index + 1);
  }
  return found === 0 ? 0 : sum / found;
}

export function recallAt1(ranking: readonly number[], relevant: (row: number) => boolean): number {
  const [first] = ranking;
  return first !== undefined && relevant(first) ? 1 : 0;
}

export function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
