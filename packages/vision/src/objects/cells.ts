import { readFileSync } from "node:fs";
import { createKernels } from "../descriptor/compress-patches.ts";
import { readChecked, refuseFile, shippedWeights, weightsFiles, writeHeader } from "../identity.ts";
import type { Raster } from "../image/open-image.ts";
import { createNetwork, onWhiteSquare } from "../learned/network.ts";
import type { Box } from "../vision-model.ts";

/** The network sees a larger image than for a vector, so that small objects have cells of their own. */
export const viewSide = 320;
/** The side of a cell in pixels of the view. */
export const cellSide = 16;
export const cellsPerSide = viewSide / cellSide;
/** What two stages of the network know of a cell: the later one has cells of twice the side. */
const fine = 112;
const coarse = 320;
export const cellLength = fine + coarse;

/** Numbers for each cell of an image whose longer side is `viewSide`, row by row. The image is in the middle. */
export type CellReader = (raster: Raster) => Float32Array;

export function createCellReader(weights: Uint8Array): CellReader {
  const run = createNetwork(weights, viewSide);
  return (raster) => {
    const cells = new Float32Array(cellsPerSide * cellsPerSide * cellLength);
    run(onWhiteSquare(raster, viewSide), (channels, numbers) => {
      if (channels === fine) copyFine(numbers, cells);
      if (channels === coarse) spreadCoarse(numbers, cells);
    });
    return cells;
  };
}

function copyFine(numbers: Int16Array, cells: Float32Array): void {
  for (let cell = 0; cell < cellsPerSide * cellsPerSide; cell++)
    cells.set(numbers.subarray(cell * fine, (cell + 1) * fine), cell * cellLength);
}

/** Between the four nearest cells of the later stage, bilinear. */
function spreadCoarse(numbers: Int16Array, cells: Float32Array): void {
  const side = cellsPerSide / 2;
  const between = (at: number) => {
    const place = Math.min(side - 1, Math.max(0, (at - 0.5) / 2));
    const before = Math.floor(place);
    return { before, behind: Math.min(side - 1, before + 1), share: place - before };
  };
  for (let cell = 0; cell < cellsPerSide * cellsPerSide; cell++) {
    const x = between(cell % cellsPerSide);
    const y = between(Math.floor(cell / cellsPerSide));
    const [a, b] = [(y.before * side + x.before) * coarse, (y.before * side + x.behind) * coarse];
    const [c, d] = [(y.behind * side + x.before) * coarse, (y.behind * side + x.behind) * coarse];
    const to = cell * cellLength + fine;
    for (let i = 0; i < coarse; i++) {
      const above = (numbers[a + i] ?? 0) * (1 - x.share) + (numbers[b + i] ?? 0) * x.share;
      const below = (numbers[c + i] ?? 0) * (1 - x.share) + (numbers[d + i] ?? 0) * x.share;
      cells[to + i] = above * (1 - y.share) + below * y.share;
    }
  }
}

/** Intersection over union. */
export function boxOverlap(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  const shared = width * height;
  return shared / (a.width * a.height + b.width * b.height - shared);
}

/** Of all cells' boxes, those below are left out. */
const minFit = 0.1;
/** From this overlap on, two boxes are of one object. */
const sameObject = 0.45;
const maxBoxes = 20;

export const evidenceLength = 6;

/** The box that a cell proposes, in pixels of the view. */
interface CellBox {
  readonly box: Box;
  /** The overlap with an object that the cell expects: 0 to 1. */
  readonly fit: number;
}

interface ProposedBox {
  readonly box: Box;
  /**
   * 1, the best cell's fit as a logit, how many of the cells that it could have support it, their number as a logarithm,
   * the overlap with a better box, its size.
   */
  readonly evidence: readonly number[];
}

/**
 * The boxes of cells that agree become one, the fitter counting more. The best come first. They are in pixels of an image
 * of that size, which is in the middle of the view.
 */
export function joinBoxes(
  cells: readonly CellBox[],
  { width, height }: { readonly width: number; readonly height: number },
): ProposedBox[] {
  const margins = { x: (viewSide - width) >> 1, y: (viewSide - height) >> 1 };
  let left = cells.filter(({ fit }) => fit >= minFit).sort((a, b) => b.fit - a.fit);
  const proposed: ProposedBox[] = [];
  while (proposed.length < maxBoxes) {
    const [best] = left;
    if (best === undefined) break;
    const same = left.filter(({ box }) => boxOverlap(box, best.box) >= sameObject);
    left = left.filter((cell) => !same.includes(cell));
    const mean = meanBox(same);
    const box = { ...mean, x: mean.x - margins.x, y: mean.y - margins.y };
    const support = same.reduce((sum, { fit }) => sum + fit, 0);
    const expected = (box.width * box.height) / cellSide ** 2;
    const rival = Math.max(0, ...proposed.map((other) => boxOverlap(other.box, box)));
    proposed.push({
      box,
      evidence: [
        1,
        Math.log(best.fit / (1 - best.fit)),
        Math.min(1.5, support / expected),
        Math.log(support),
        rival,
        Math.sqrt((box.width * box.height) / (width * height)),
      ],
    });
  }
  return proposed;
}

export function confidenceOf(evidence: readonly number[], weights: ArrayLike<number>): number {
  return 1 / (1 + Math.exp(-evidence.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0)));
}

function meanBox(cells: readonly CellBox[]): Box {
  const mean = (of: (box: Box) => number) => {
    let [sum, total] = [0, 0];
    for (const { box, fit } of cells) {
      sum += of(box) * fit * fit;
      total += fit * fit;
    }
    return sum / total;
  };
  const [x, y] = [mean((box) => box.x), mean((box) => box.y)];
  return { x, y, width: mean((box) => box.x + box.width) - x, height: mean((box) => box.y + box.height) - y };
}

export const hiddenLength = 64;
/** Of a cell: how well its box fits an object, as a logit, then the logarithms of the distances to the sides, in cells. */
export const outputLength = 5;

/** Two layers over the numbers of a cell, and how boxes are judged: learned from composed images. */
export interface CellWeights {
  readonly hidden: Float32Array;
  readonly hiddenBias: Float32Array;
  readonly output: Float32Array;
  readonly outputBias: Float32Array;
  readonly evidence: Float32Array;
}

const lengths = {
  hidden: hiddenLength * cellLength,
  hiddenBias: hiddenLength,
  output: outputLength * hiddenLength,
  outputBias: outputLength,
  evidence: evidenceLength,
} as const satisfies Record<keyof CellWeights, number>;
const bodyLength = Object.values(lengths).reduce((sum, length) => sum + length, 0);

/** After the header: all numbers in single precision, little endian. */
export function encodeCells({ hidden, hiddenBias, output, outputBias, evidence }: CellWeights): Buffer {
  const numbers = [hidden, hiddenBias, output, outputBias, evidence].flatMap((part) => [...part]);
  const body = Buffer.from(Float32Array.from(numbers).buffer);
  return Buffer.concat([writeHeader("cells", body), body]);
}

export function readCellWeights(folder = shippedWeights): CellWeights {
  const { cells } = weightsFiles(folder);
  return decodeCells(readFileSync(cells), cells);
}

/** Throws an error that names `source` if the bytes are not a complete file. */
export function decodeCells(bytes: Buffer, source: string): CellWeights {
  const { body } = readChecked(bytes, "cells", source);
  if (body.length !== 4 * bodyLength)
    throw refuseFile(source, `has ${body.length} bytes instead of ${4 * bodyLength}`);
  const numbers = new Float32Array(new Uint8Array(body).buffer);
  let from = 0;
  const next = (part: keyof CellWeights) => {
    from += lengths[part];
    return numbers.subarray(from - lengths[part], from);
  };
  return {
    hidden: next("hidden"),
    hiddenBias: next("hiddenBias"),
    output: next("output"),
    outputBias: next("outputBias"),
    evidence: next("evidence"),
  };
}

/** So far from its cell, a side is outside of every view. */
const maxLogarithm = 4;

/** A box for each cell, row by row. */
export function createBoxReader(weights: Omit<CellWeights, "evidence">): (cells: Float32Array) => CellBox[] {
  const { hiddenBias, output, outputBias } = weights;
  const count = cellsPerSide * cellsPerSide;
  const kernels = createKernels((count + hiddenLength) * cellLength + count * hiddenLength + 16);
  const inputs = kernels.allocate(count * cellLength);
  const rows = kernels.allocate(hiddenLength * cellLength);
  const sums = kernels.allocate(count * hiddenLength);
  rows.set(weights.hidden);
  const outputAt = (cell: number, at: number) => {
    let sum = outputBias[at] ?? 0;
    for (let i = 0; i < hiddenLength; i++) {
      const value = (sums[cell * hiddenLength + i] ?? 0) + (hiddenBias[i] ?? 0);
      if (value > 0) sum += value * (output[at * hiddenLength + i] ?? 0);
    }
    return sum;
  };
  return (cells) => {
    inputs.set(cells);
    kernels.multiplyTransposed(inputs, rows, sums, { rows: count, columns: hiddenLength, inner: cellLength });
    return Array.from({ length: count }, (_, cell) => {
      const distance = (at: number) => Math.exp(Math.min(maxLogarithm, outputAt(cell, at))) * cellSide;
      const [left, top, right, bottom] = [distance(1), distance(2), distance(3), distance(4)];
      const x = ((cell % cellsPerSide) + 0.5) * cellSide - left;
      const y = (Math.floor(cell / cellsPerSide) + 0.5) * cellSide - top;
      const box = { x, y, width: left + right, height: top + bottom };
      return { box, fit: 1 / (1 + Math.exp(-outputAt(cell, 0))) };
    });
  };
}
