import type { LabImage } from "./lab.ts";

/** Half the width and height, each pixel the mean of four. */
export function halfSize({ width, height, l, a, b }: LabImage): LabImage {
  const half = { width: Math.max(1, width >> 1), height: Math.max(1, height >> 1) };
  const shrink = (plane: Float32Array) => {
    const out = new Float32Array(half.width * half.height);
    const right = width > 1 ? 1 : 0;
    const down = height > 1 ? width : 0;
    for (let y = 0, to = 0; y < half.height; y++) {
      for (let x = 0, at = 2 * y * width; x < half.width; x++, to++, at += 2) {
        out[to] =
          ((plane[at] ?? 0) +
            (plane[at + right] ?? 0) +
            (plane[at + down] ?? 0) +
            (plane[at + down + right] ?? 0)) /
          4;
      }
    }
    return out;
  };
  return { ...half, l: shrink(l), a: shrink(a), b: shrink(b) };
}
