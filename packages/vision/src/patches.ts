import type { Frame } from "./frame.ts";
import type { Gradients } from "./gradients.ts";
import { Integral } from "./integral.ts";

export const FRAME_SIZE = 128;
const PIXELS = FRAME_SIZE * FRAME_SIZE;
export const SIFT_LENGTH = 128;
export const COLOUR_LENGTH = 17;
const CELLS = 4;
const TURN_BINS = 8;
const SCALES = [
  { cell: 4, step: 6 },
  { cell: 6, step: 8 },
  { cell: 9, step: 10 },
];
const MIN_WEIGHT = 0.15;

interface Site {
  readonly x: number;
  readonly y: number;
  readonly cell: number;
  readonly scale: number;
}

const SITES: readonly Site[] = SCALES.flatMap(({ cell, step }, scale) => {
  const along = Array.from(
    { length: Math.floor((FRAME_SIZE - CELLS * cell) / step) + 1 },
    (_, i) => i * step,
  );
  return along.flatMap((y) => along.map((x) => ({ x, y, cell, scale })));
});

export const MAX_PATCHES = SITES.length;

/** Patches of an object at three scales on a regular grid; the first `count` rows of each table are in use. */
export interface Patches {
  count: number;
  /** RootSIFT (Arandjelović and Zisserman, 2012): 4 × 4 cells of 8 directions a row. */
  readonly sift: Float32Array;
  readonly colour: Float32Array;
  /** Centre (x, y) and scale, each from −0.5 to 0.5. */
  readonly place: Float32Array;
  readonly weight: Float32Array;
}

/** Cuts an object into patches, given the gradients of its lightness. The result is overwritten by the next call. */
export function createPatchCutter(): (frame: Frame, gradients: Gradients) => Patches {
  const patches: Patches = {
    count: 0,
    sift: new Float32Array(MAX_PATCHES * SIFT_LENGTH),
    colour: new Float32Array(MAX_PATCHES * COLOUR_LENGTH),
    place: new Float32Array(MAX_PATCHES * 3),
    weight: new Float32Array(MAX_PATCHES),
  };
  const chosen: Site[] = [];
  const integral = new Integral(FRAME_SIZE);
  const plane = new Float32Array(PIXELS);
  const planes = new Float32Array(TURN_BINS * PIXELS);
  return (frame, gradients) => {
    chooseSites(frame, integral, chosen, patches);
    fillPlanes(gradients, planes);
    for (let bin = 0; bin < TURN_BINS; bin++) {
      integral.load(planes.subarray(bin * PIXELS, (bin + 1) * PIXELS));
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
  for (const site of SITES) {
    const side = site.cell * CELLS;
    const weight = integral.square(site.x, site.y, side) / (side * side);
    if (weight < MIN_WEIGHT) continue;
    const row = chosen.length;
    patches.weight[row] = weight;
    patches.place[row * 3] = (site.x + side / 2) / FRAME_SIZE - 0.5;
    patches.place[row * 3 + 1] = (site.y + side / 2) / FRAME_SIZE - 0.5;
    patches.place[row * 3 + 2] = (site.scale - 1) * 0.5;
    chosen.push(site);
  }
  patches.count = chosen.length;
}

/** Each gradient is shared between the two directions next to it. */
function fillPlanes({ length, turn }: Gradients, planes: Float32Array): void {
  planes.fill(0);
  for (let i = 0; i < PIXELS; i++) {
    const place = (turn[i] ?? 0) * TURN_BINS;
    const before = Math.floor(place);
    const share = place - before;
    const size = length[i] ?? 0;
    planes[before * PIXELS + i] = (1 - share) * size;
    planes[((before + 1) % TURN_BINS) * PIXELS + i] = share * size;
  }
}

function fillDirection(integral: Integral, sites: readonly Site[], bin: number, sift: Float32Array): void {
  let at = bin;
  for (const { x, y, cell } of sites) {
    for (let row = 0; row < CELLS; row++) {
      for (let column = 0; column < CELLS; column++, at += TURN_BINS) {
        sift[at] = integral.square(x + column * cell, y + row * cell, cell);
      }
    }
  }
}

function rootNormalise(sift: Float32Array, count: number): void {
  for (let row = 0, at = 0; row < count; row++, at += SIFT_LENGTH) {
    let sum = 20;
    for (let i = at; i < at + SIFT_LENGTH; i++) sum += sift[i] ?? 0;
    const scale = 1 / sum;
    for (let i = at; i < at + SIFT_LENGTH; i++) sift[i] = Math.sqrt(Math.max(0, sift[i] ?? 0) * scale);
  }
}

/** Means of the four quarters and the spread of each channel; chroma and contrast of the whole. */
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
      const squares = integral.square(x, y, cell * CELLS) / (cell * CELLS * cell * CELLS * 2500);
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
    at += COLOUR_LENGTH;
  }
}

function meanOfQuarters(colour: Float32Array, at: number): number {
  return ((colour[at] ?? 0) + (colour[at + 3] ?? 0) + (colour[at + 6] ?? 0) + (colour[at + 9] ?? 0)) / 4;
}
