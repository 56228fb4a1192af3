import type { Raster } from "./decode-image.ts";

/** An image in CIE L*a*b* (D65): three planes, row by row. */
export interface LabImage {
  readonly width: number;
  readonly height: number;
  readonly l: Float32Array;
  readonly a: Float32Array;
  readonly b: Float32Array;
}

const curveSteps = 4096;
const linearTable = Float32Array.from({ length: 256 }, (_, value) => linearLight(value / 255));
const curve = Float32Array.from({ length: curveSteps + 2 }, (_, step) => labCurve(step / curveSteps));

/** IEC 61966-2-1 */
function linearLight(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** CIE 15: the cube root with its linear part near zero. */
function labCurve(value: number): number {
  return value > 216 / 24389 ? Math.cbrt(value) : ((24389 / 27) * value + 16) / 116;
}

export function labFromRaster({ width, height, rgb }: Raster): LabImage {
  const pixels = width * height;
  const l = new Float32Array(pixels);
  const a = new Float32Array(pixels);
  const b = new Float32Array(pixels);
  for (let pixel = 0, at = 0; pixel < pixels; pixel++, at += 3) {
    const red = linearTable[rgb[at] ?? 0] ?? 0;
    const green = linearTable[rgb[at + 1] ?? 0] ?? 0;
    const blue = linearTable[rgb[at + 2] ?? 0] ?? 0;
    // The rows of the sRGB matrix, each divided by the white point's X, Y and Z.
    const x = curve[((0.4339499 * red + 0.3762098 * green + 0.1898403 * blue) * curveSteps + 0.5) | 0] ?? 0;
    const y = curve[((0.2126729 * red + 0.7151522 * green + 0.072175 * blue) * curveSteps + 0.5) | 0] ?? 0;
    const z = curve[((0.0177566 * red + 0.1094681 * green + 0.8727754 * blue) * curveSteps + 0.5) | 0] ?? 0;
    l[pixel] = 116 * y - 16;
    a[pixel] = 500 * (x - y);
    b[pixel] = 200 * (y - z);
  }
  return { width, height, l, a, b };
}
