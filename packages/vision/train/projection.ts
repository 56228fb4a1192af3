import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import { createKernels, type Projection } from "../src/descriptor/compress-patches.ts";
import { descriptorDimensions } from "../src/descriptor/weights.ts";

const componentCount = 900;
const maxSamples = 1800;
/** The weight of the difference between two images of one thing, by the reason why they show the same thing. */
const pairWeights = { class: 3, product: 1, variant: 6 };
/** How much longer the direction that separates the classes best becomes; the others in proportion. */
const classEmphasis = 0.5;

export interface ProjectionRecipe {
  /** How much of the scatter within things is taken to be equal in all directions. */
  readonly shrinkage: number;
  /** 1 makes differences within a thing equally large everywhere; less leaves some of their sizes as they were. */
  readonly whitening: number;
}

export interface ProjectionSamples {
  /** Number of features of an image. */
  readonly length: number;
  /** One image's features per row. */
  readonly originals: Float32Array;
  /** Images transformed in one way each, with the weight of that transform. */
  readonly variants: readonly { readonly table: Float32Array; readonly weight: number }[];
  /** The images that the variants were made of, in their order. */
  readonly varied: readonly number[];
  /** Each image's product, or empty if unknown. */
  readonly products: readonly string[];
  readonly classes: readonly string[];
}

/**
 * Learns the directions in which images of different things differ more than images of the same thing: principal
 * components, scaled so that differences within a thing are equally large everywhere, then principal components again.
 */
export function fitProjection(samples: ProjectionSamples, recipe: ProjectionRecipe): Projection {
  const { length } = samples;
  const { mean, basis } = fitBasis(samples);
  const count = basis.length / length;
  const offset = productWithTransposed(mean, basis, length);
  const reduce = (table: Float32Array) => {
    const reduced = productWithTransposed(table, basis, length);
    for (let i = 0; i < reduced.length; i++) reduced[i] = (reduced[i] ?? 0) - (offset[i % count] ?? 0);
    return reduced;
  };
  const originals = reduce(samples.originals);
  const scatter = new Float64Array(count * count);
  addScatter(scatter, groupDeviations(originals, count, samples.classes), count, pairWeights.class);
  addScatter(scatter, groupDeviations(originals, count, samples.products), count, pairWeights.product);
  const total = samples.variants.reduce((sum, { weight }) => sum + weight, 0);
  for (const { table, weight } of samples.variants) {
    const differences = reduce(table).map((value, i) => {
      const row = samples.varied[Math.floor(i / count)] ?? 0;
      return (value - (originals[row * count + (i % count)] ?? 0)) / Math.SQRT2;
    });
    addScatter(scatter, differences, count, (pairWeights.variant * weight) / total);
  }
  const whitening = whiten(scatter, count, recipe);
  const white = productWithTransposed(originals, whitening, count);
  const spread = new Float64Array(count * count);
  const all = samples.products.map(() => "all");
  addScatter(spread, groupDeviations(white, count, all), count, 1);
  const directions = symmetricEigen(spread, count).vectors.slice(
    0,
    Math.min(descriptorDimensions, count) * count,
  );
  emphasiseClasses(directions, white, count, samples.classes);
  const combined = productWithTransposed(directions, transposed(whitening, count), count);
  const rows = new Float32Array(descriptorDimensions * length);
  rows.set(productWithTransposed(combined, transposed(basis, length), count));
  return { mean, rows };
}

/** Principal components from the dot products of the samples, because there are fewer samples than features. */
function fitBasis({ length, originals, variants }: ProjectionSamples): {
  mean: Float32Array;
  basis: Float32Array;
} {
  const sample = evenSample([originals, ...variants.map(({ table }) => table)], length);
  const count = sample.length / length;
  const mean = new Float32Array(length);
  for (let i = 0; i < sample.length; i++) {
    mean[i % length] = (mean[i % length] ?? 0) + (sample[i] ?? 0) / count;
  }
  for (let i = 0; i < sample.length; i++) sample[i] = (sample[i] ?? 0) - (mean[i % length] ?? 0);
  const { values, vectors } = symmetricEigen(productWithTransposed(sample, sample, length), count);
  const small = values.findIndex((value) => !(value > 1e-4 * (values[0] ?? 0)));
  const kept = Math.min(componentCount, small === -1 ? count : small);
  const basis = productWithTransposed(vectors.subarray(0, kept * count), transposed(sample, length), count);
  for (let i = 0; i < basis.length; i++) {
    basis[i] = (basis[i] ?? 0) / Math.sqrt(values[Math.floor(i / length)] ?? 1);
  }
  return { mean, basis };
}

/** Half of the sample from the first table, half from the others, spread evenly. */
function evenSample(
  [originals = new Float32Array(), ...others]: readonly Float32Array[],
  length: number,
): Float32Array<ArrayBuffer> {
  const count = originals.length / length;
  const fromOriginals = Math.min(count, others.length > 0 ? maxSamples / 2 : maxSamples);
  const rows = (table: Float32Array) => table.length / length;
  const available = others.reduce((sum, table) => sum + rows(table), 0);
  const fromOthers = Math.min(available, maxSamples / 2);
  const sample = new Float32Array((fromOriginals + fromOthers) * length);
  const put = (table: Float32Array, row: number, to: number) =>
    sample.set(table.subarray(row * length, (row + 1) * length), to * length);
  for (let i = 0; i < fromOriginals; i++) put(originals, Math.floor((i * count) / fromOriginals), i);
  for (let i = 0; i < fromOthers; i++) {
    const table = others[i % others.length];
    if (table !== undefined) put(table, Math.floor((i * rows(table)) / fromOthers), fromOriginals + i);
  }
  return sample;
}

/** Lengthens the directions that separate the means of the classes. */
function emphasiseClasses(
  directions: Float32Array,
  white: Float32Array,
  count: number,
  classes: readonly string[],
): void {
  const size = directions.length / count;
  const means = classMeans(productWithTransposed(white, directions, count), size, classes);
  const between = new Float64Array(size * size);
  addScatter(between, means, size, 1);
  const { values, vectors } = symmetricEigen(between, size);
  const largest = values[0] ?? 0;
  if (largest <= 0) return;
  const classCount = means.length / size;
  for (let rank = 0; rank < classCount - 1; rank++) {
    const vector = vectors.subarray(rank * size, (rank + 1) * size);
    const gain = classEmphasis * Math.sqrt(Math.max(0, values[rank] ?? 0) / largest);
    const along = productWithTransposed(vector, transposed(directions, count), size);
    for (let row = 0, at = 0; row < size; row++) {
      const share = gain * (vector[row] ?? 0);
      for (let i = 0; i < count; i++, at++) directions[at] = (directions[at] ?? 0) + share * (along[i] ?? 0);
    }
  }
}

/** The mean of each class, minus the mean of all. */
function classMeans(table: Float32Array, length: number, classes: readonly string[]): Float32Array {
  const members = [...Map.groupBy(classes.keys(), (row) => classes[row] ?? "")].filter(
    ([label]) => label !== "",
  );
  const means = new Float32Array(members.length * length);
  const overall = new Float64Array(length);
  for (const [, rows] of members) addMean(overall, table, length, rows, 1 / members.length);
  for (const [i, [, rows]] of members.entries()) {
    const mean = new Float64Array(length);
    addMean(mean, table, length, rows, 1);
    means.set(
      mean.map((value, at) => value - (overall[at] ?? 0)),
      i * length,
    );
  }
  return means;
}

function addMean(
  to: Float64Array,
  table: Float32Array,
  length: number,
  rows: readonly number[],
  share: number,
): void {
  for (const row of rows) {
    for (let i = 0; i < length; i++)
      to[i] = (to[i] ?? 0) + ((table[row * length + i] ?? 0) * share) / rows.length;
  }
}

/** Each image's difference from the mean of its group. Groups of one image are left out: their difference is zero. */
function groupDeviations(table: Float32Array, length: number, labels: readonly string[]): Float32Array {
  const members = Map.groupBy(labels.keys(), (row) => labels[row] ?? "");
  const deviations: Float32Array[] = [];
  for (const [label, rows] of members) {
    if (label === "" || rows.length < 2) continue;
    const mean = new Float64Array(length);
    addMean(mean, table, length, rows, 1);
    for (const row of rows) {
      deviations.push(
        table.slice(row * length, (row + 1) * length).map((value, i) => value - (mean[i] ?? 0)),
      );
    }
  }
  const out = new Float32Array(deviations.length * length);
  for (const [row, deviation] of deviations.entries()) out.set(deviation, row * length);
  return out;
}

/** Adds the mean outer product of the rows, times `weight`. */
function addScatter(scatter: Float64Array, rows: Float32Array, length: number, weight: number): void {
  const count = rows.length / length;
  if (count === 0) return;
  const columns = transposed(rows, length);
  const products = productWithTransposed(columns, columns, count);
  for (let i = 0; i < scatter.length; i++)
    scatter[i] = (scatter[i] ?? 0) + ((products[i] ?? 0) * weight) / count;
}

/** The rows that transform the (shrunk) scatter of the reduced features into the identity. */
function whiten(
  scatter: Float64Array,
  count: number,
  { shrinkage, whitening }: ProjectionRecipe,
): Float32Array {
  let trace = 0;
  for (let i = 0; i < count; i++) trace += scatter[i * count + i] ?? 0;
  const shrunk = scatter.map((value) => value * (1 - shrinkage));
  for (let i = 0; i < count; i++)
    shrunk[i * count + i] = (shrunk[i * count + i] ?? 0) + (shrinkage * trace) / count;
  const { values, vectors } = symmetricEigen(shrunk, count);
  return vectors.map((value, i) => value / (values[Math.floor(i / count)] ?? 1) ** (whitening / 2));
}

interface Eigen {
  /** Largest first. */
  readonly values: Float64Array;
  /** The vectors of the values, one per row. */
  readonly vectors: Float32Array;
}

/** Eigenvalues and eigenvectors of a symmetric table of `size` rows. */
function symmetricEigen(table: Float32Array | Float64Array, size: number): Eigen {
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

function transposed(table: Float32Array, columns: number): Float32Array<ArrayBuffer> {
  const rows = table.length / columns;
  const out = new Float32Array(table.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++)
      out[column * rows + row] = table[row * columns + column] ?? 0;
  }
  return out;
}
