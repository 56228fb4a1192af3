import type { LabImage } from "../image/lab.ts";
import type { Part } from "./connected-parts.ts";

/** The number of directions in which cuts are tried, in a half circle. */
const directions = 8;
/** Minimum share of the area on each side of a cut. */
const minSide = 0.15;
const colourBinning = { lightness: 4, chroma: 6, range: 60 };

/** A straight cut through a part, where it is narrowest. */
export interface Cut {
  /** Its length divided by the longest parallel line on the narrower side: the narrower the waist, the smaller. */
  readonly waist: number;
  /** 0 to 1: how different the colours of the two sides are. */
  readonly contrast: number;
  /** The area of one box around both sides divided by the areas of a box around each. */
  readonly fit: number;
  sides(): [Int32Array, Int32Array];
}

/** The best cut for each direction. */
export function findCuts({ pixels, box }: Part, image: LabImage): Cut[] {
  const colours = colourBins(image, pixels);
  const cuts: Cut[] = [];
  for (let direction = 0; direction < directions; direction++) {
    const places = placesAlong(pixels, image.width, (Math.PI * direction) / directions);
    const found = findWaist(places);
    if (found === undefined) continue;
    const { waist, at } = found;
    cuts.push({
      waist,
      contrast: colourDifference(colours, places, at),
      fit: (box.width * box.height) / boxAreas(pixels, image.width, places, at),
      sides: () => [
        pixels.filter((_, i) => (places[i] ?? 0) < at),
        pixels.filter((_, i) => (places[i] ?? 0) >= at),
      ],
    });
  }
  return cuts;
}

/** The position of each pixel along a direction, in whole pixels from the first. */
function placesAlong(pixels: Int32Array, width: number, angle: number): Int16Array {
  const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
  const places = new Int16Array(pixels.length);
  let first = Number.POSITIVE_INFINITY;
  for (let i = 0; i < pixels.length; i++) {
    const at = pixels[i] ?? 0;
    const x = at % width;
    const place = Math.round(x * dx + ((at - x) / width) * dy);
    places[i] = place;
    if (place < first) first = place;
  }
  for (let i = 0; i < places.length; i++) places[i] = (places[i] ?? 0) - first;
  return places;
}

/** The narrowest position that has wider parts on both sides. */
function findWaist(places: Int16Array): { waist: number; at: number } | undefined {
  let last = 0;
  for (const place of places) if (place > last) last = place;
  const counts = new Int32Array(last + 1);
  for (const place of places) counts[place] = (counts[place] ?? 0) + 1;
  // The mean of three positions, because rounding makes single counts uneven.
  const lengths = Float32Array.from(
    counts,
    (count, i) => (count + (counts[i - 1] ?? count) + (counts[i + 1] ?? count)) / 3,
  );
  const widestFrom = new Float32Array(last + 2);
  for (let at = last; at >= 0; at--) widestFrom[at] = Math.max(widestFrom[at + 1] ?? 0, lengths[at] ?? 0);
  const least = places.length * minSide;
  let best: { waist: number; at: number } | undefined;
  let before = 0;
  let widest = 0;
  for (let at = 0; at <= last; at++) {
    const length = lengths[at] ?? 0;
    const waist = length / Math.max(1, Math.min(widest, widestFrom[at + 1] ?? 0));
    const isInside = before >= least && places.length - before >= least;
    if (isInside && (best === undefined || waist < best.waist)) best = { waist, at };
    before += counts[at] ?? 0;
    widest = Math.max(widest, length);
  }
  return best;
}

function colourBins({ l, a, b }: LabImage, pixels: Int32Array): Uint8Array {
  const { lightness, chroma, range } = colourBinning;
  const bin = (value: number, bins: number) => Math.min(bins - 1, Math.max(0, Math.floor(value * bins)));
  return Uint8Array.from(pixels, (at) => {
    const red = bin(((a[at] ?? 0) + range) / (2 * range), chroma);
    const yellow = bin(((b[at] ?? 0) + range) / (2 * range), chroma);
    return (bin((l[at] ?? 0) / 100, lightness) * chroma + red) * chroma + yellow;
  });
}

/** Half the sum of the differences between the colour histograms of the pixels before and behind a position. */
function colourDifference(colours: Uint8Array, places: Int16Array, cut: number): number {
  const bins = colourBinning.lightness * colourBinning.chroma ** 2;
  const before = new Float64Array(bins);
  const behind = new Float64Array(bins);
  let count = 0;
  for (let i = 0; i < colours.length; i++) {
    const bin = colours[i] ?? 0;
    if ((places[i] ?? 0) < cut) {
      before[bin] = (before[bin] ?? 0) + 1;
      count++;
    } else behind[bin] = (behind[bin] ?? 0) + 1;
  }
  let sum = 0;
  for (let bin = 0; bin < bins; bin++) {
    sum += Math.abs((before[bin] ?? 0) / count - (behind[bin] ?? 0) / (colours.length - count));
  }
  return sum / 2;
}

/** Total area of the boxes around the pixels before and behind a position. */
function boxAreas(pixels: Int32Array, width: number, places: Int16Array, cut: number): number {
  const edges = [0, 1].map(() => ({ left: width, right: 0, top: Number.POSITIVE_INFINITY, bottom: 0 }));
  for (let i = 0; i < pixels.length; i++) {
    const side = edges[(places[i] ?? 0) < cut ? 0 : 1];
    if (side === undefined) continue;
    const at = pixels[i] ?? 0;
    const x = at % width;
    const y = (at - x) / width;
    if (x < side.left) side.left = x;
    if (x > side.right) side.right = x;
    if (y < side.top) side.top = y;
    if (y > side.bottom) side.bottom = y;
  }
  return edges.reduce(
    (sum, { left, right, top, bottom }) => sum + (right - left + 1) * (bottom - top + 1),
    0,
  );
}
