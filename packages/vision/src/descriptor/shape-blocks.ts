import type { Gradients } from "./gradients.ts";

/** Gradient directions on a grid of cells (Dalal and Triggs, 2005). `signed` tells light-to-dark and dark-to-light apart. */
export interface HogShape {
  readonly cells: number;
  readonly bins: number;
  readonly signed: boolean;
}

export function hogLength({ cells, bins }: HogShape): number {
  return cells * cells * bins;
}

/** Every gradient is distributed over two directions and up to four cells, and counts by its weight. */
export function writeHog(
  gradients: Gradients,
  weight: Float32Array,
  shape: HogShape,
  out: Float32Array,
): void {
  const { size, length, turn } = gradients;
  const { cells, bins, signed } = shape;
  const scale = cells / size;
  out.fill(0);
  for (let y = 0, at = 0; y < size; y++) {
    const row = (y + 0.5) * scale - 0.5;
    const top = Math.max(0, Math.floor(row));
    const bottom = Math.min(cells - 1, Math.floor(row) + 1);
    const v = row - Math.floor(row);
    for (let x = 0; x < size; x++, at++) {
      const energy = (length[at] ?? 0) * (weight[at] ?? 0);
      if (energy < 0.5) continue;
      const column = (x + 0.5) * scale - 0.5;
      const left = Math.max(0, Math.floor(column));
      const right = Math.min(cells - 1, Math.floor(column) + 1);
      const u = column - Math.floor(column);
      let direction = (turn[at] ?? 0) * (signed ? 1 : 2);
      direction = (direction - Math.floor(direction)) * bins;
      const bin = Math.floor(direction);
      const next = bin + 1 < bins ? bin + 1 : 0;
      const t = direction - bin;
      share(out, (top * cells + left) * bins, bin, next, energy * (1 - u) * (1 - v), t);
      share(out, (top * cells + right) * bins, bin, next, energy * u * (1 - v), t);
      share(out, (bottom * cells + left) * bins, bin, next, energy * (1 - u) * v, t);
      share(out, (bottom * cells + right) * bins, bin, next, energy * u * v, t);
    }
  }
}

function share(out: Float32Array, cell: number, bin: number, next: number, energy: number, t: number): void {
  out[cell + bin] = (out[cell + bin] ?? 0) + energy * (1 - t);
  out[cell + next] = (out[cell + next] ?? 0) + energy * t;
}
