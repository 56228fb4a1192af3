/** Gives the sum over any rectangle of a square plane in four look-ups (Crow, 1984). The first row and column are zeros. */
export class Integral {
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
