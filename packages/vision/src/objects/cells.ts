import type { Raster } from "../image/decode-image.ts";
import { createNetwork, onWhiteSquare } from "../learned/network.ts";

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
