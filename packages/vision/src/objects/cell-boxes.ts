import { readFileSync } from "node:fs";
import { createKernels } from "../descriptor/kernels.ts";
import { shippedWeights, weightsFiles } from "../identity.ts";
import { readChecked, refuseFile, writeHeader } from "../learned/file-header.ts";
import { cellLength, cellSide, cellsPerSide } from "./cells.ts";
import { type CellBox, evidenceLength } from "./judge-boxes.ts";

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
