import type { Frame, Gradients } from "./frame.ts";

/** Gives the sum over any rectangle of a square plane in four look-ups (Crow, 1984). The first row and column are zeros. */
class Integral {
  readonly size: number;
  readonly sums: Float64Array;

  constructor(size: number) {
    this.size = size;
    this.sums = new Float64Array((size + 1) * (size + 1));
  }

  load(plane: Float32Array): void {
    const { size, sums } = this;
    for (let y = 0, at = 0, to = size + 2; y < size; y++, to++) {
      let row = 0;
      for (let x = 0; x < size; x++, at++, to++) {
        row += plane[at] ?? 0;
        sums[to] = (sums[to - size - 1] ?? 0) + row;
      }
    }
  }

  /** The sum over a square whose top left pixel is (x, y). */
  square(x: number, y: number, side: number): number {
    const { size, sums } = this;
    const top = y * (size + 1) + x;
    const bottom = top + side * (size + 1);
    return (sums[bottom + side] ?? 0) - (sums[bottom] ?? 0) - (sums[top + side] ?? 0) + (sums[top] ?? 0);
  }
}

export const frameSize = 128;
const pixels = frameSize * frameSize;
export const siftLength = 128;
export const colourLength = 17;
const cellsPerSide = 4;
const turnBins = 8;
const patchScales = [
  { cell: 4, step: 6 },
  { cell: 6, step: 8 },
  { cell: 9, step: 10 },
];
const minWeight = 0.15;

interface Site {
  readonly x: number;
  readonly y: number;
  readonly cell: number;
  readonly scale: number;
}

const allSites: readonly Site[] = patchScales.flatMap(({ cell, step }, scale) => {
  const along = Array.from(
    { length: Math.floor((frameSize - cellsPerSide * cell) / step) + 1 },
    (_, i) => i * step,
  );
  return along.flatMap((y) => along.map((x) => ({ x, y, cell, scale })));
});

export const maxPatches = allSites.length;

/** Patches of an object at three scales on a regular grid. Only the first `count` rows of each table are used. */
export interface Patches {
  count: number;
  /** RootSIFT (Arandjelović and Zisserman, 2012): 4 × 4 cells of 8 directions per row. */
  readonly sift: Float32Array;
  readonly colour: Float32Array;
  /** Centre (x, y) and scale, each from −0.5 to 0.5. */
  readonly place: Float32Array;
  readonly weight: Float32Array;
}

/** Cuts an object into patches, given the gradients of its lightness. The next call overwrites the result. */
export function createPatchCutter(): (frame: Frame, gradients: Gradients) => Patches {
  const patches: Patches = {
    count: 0,
    sift: new Float32Array(maxPatches * siftLength),
    colour: new Float32Array(maxPatches * colourLength),
    place: new Float32Array(maxPatches * 3),
    weight: new Float32Array(maxPatches),
  };
  const chosen: Site[] = [];
  const integral = new Integral(frameSize);
  const plane = new Float32Array(pixels);
  const planes = new Float32Array(turnBins * pixels);
  return (frame, gradients) => {
    chooseSites(frame, integral, chosen, patches);
    fillPlanes(gradients, planes);
    for (let bin = 0; bin < turnBins; bin++) {
      integral.load(planes.subarray(bin * pixels, (bin + 1) * pixels));
      fillDirection(integral, chosen, bin, patches.sift);
    }
    rootNormalise(patches.sift, chosen.length);
    fillColours(frame, integral, plane, chosen, patches.colour);
    return patches;
  };
}

function chooseSites(frame: Frame, integral: Integral, chosen: Site[], patches: Patches): void {
  integral.load(frame.weight);
  chosen.length = 0;
  for (const site of allSites) {
    const side = site.cell * cellsPerSide;
    const weight = integral.square(site.x, site.y, side) / (side * side);
    if (weight < minWeight) continue;
    const row = chosen.length;
    patches.weight[row] = weight;
    patches.place[row * 3] = (site.x + side / 2) / frameSize - 0.5;
    patches.place[row * 3 + 1] = (site.y + side / 2) / frameSize - 0.5;
    patches.place[row * 3 + 2] = (site.scale - 1) * 0.5;
    chosen.push(site);
  }
  patches.count = chosen.length;
}

/** Each gradient is distributed over the two nearest directions. */
function fillPlanes({ length, turn }: Gradients, planes: Float32Array): void {
  planes.fill(0);
  for (let i = 0; i < pixels; i++) {
    const place = (turn[i] ?? 0) * turnBins;
    const before = Math.floor(place);
    const share = place - before;
    const size = length[i] ?? 0;
    planes[before * pixels + i] = (1 - share) * size;
    planes[((before + 1) % turnBins) * pixels + i] = share * size;
  }
}

function fillDirection(integral: Integral, sites: readonly Site[], bin: number, sift: Float32Array): void {
  let at = bin;
  for (const { x, y, cell } of sites) {
    for (let row = 0; row < cellsPerSide; row++) {
      for (let column = 0; column < cellsPerSide; column++, at += turnBins) {
        sift[at] = integral.square(x + column * cell, y + row * cell, cell);
      }
    }
  }
}

function rootNormalise(sift: Float32Array, count: number): void {
  for (let row = 0, at = 0; row < count; row++, at += siftLength) {
    let sum = 20;
    for (let i = at; i < at + siftLength; i++) sum += sift[i] ?? 0;
    const scale = 1 / sum;
    for (let i = at; i < at + siftLength; i++) sift[i] = Math.sqrt(Math.max(0, sift[i] ?? 0) * scale);
  }
}

/** Means of the four quarters, the spread of each channel, and chroma and contrast of the whole patch. */
function fillColours(
  frame: Frame,
  integral: Integral,
  plane: Float32Array,
  sites: readonly Site[],
  colour: Float32Array,
): void {
  [frame.l, frame.a, frame.b].forEach((channel, index) => {
    integral.load(channel);
    eachRow(sites, ({ x, y, cell }, at) => {
      const half = cell * 2;
      const scale = 1 / (half * half * 50);
      colour[at + index] = integral.square(x, y, half) * scale;
      colour[at + index + 3] = integral.square(x + half, y, half) * scale;
      colour[at + index + 6] = integral.square(x, y + half, half) * scale;
      colour[at + index + 9] = integral.square(x + half, y + half, half) * scale;
    });
    for (let i = 0; i < plane.length; i++) plane[i] = (channel[i] ?? 0) ** 2;
    integral.load(plane);
    eachRow(sites, ({ x, y, cell }, at) => {
      const squares =
        integral.square(x, y, cell * cellsPerSide) / (cell * cellsPerSide * cell * cellsPerSide * 2500);
      const mean = meanOfQuarters(colour, at + index);
      colour[at + 12 + index] = Math.sqrt(Math.max(0, squares - mean * mean)) * 2;
    });
  });
  eachRow(sites, (_, at) => {
    colour[at + 15] = Math.hypot(meanOfQuarters(colour, at + 1), meanOfQuarters(colour, at + 2));
    colour[at + 16] = Math.hypot(colour[at + 12] ?? 0, colour[at + 13] ?? 0, colour[at + 14] ?? 0);
  });
}

function eachRow(sites: readonly Site[], visit: (site: Site, at: number) => void): void {
  let at = 0;
  for (const site of sites) {
    visit(site, at);
    at += colourLength;
  }
}

function meanOfQuarters(colour: Float32Array, at: number): number {
  return ((colour[at] ?? 0) + (colour[at + 3] ?? 0) + (colour[at + 6] ?? 0) + (colour[at + 9] ?? 0)) / 4;
}
