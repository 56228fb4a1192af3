/** The gradient of a square plane: its length, and its direction in turns from 0 to 1. */
export interface Gradients {
  readonly size: number;
  readonly length: Float32Array;
  readonly turn: Float32Array;
}

export function createGradients(size: number): Gradients {
  return { size, length: new Float32Array(size * size), turn: new Float32Array(size * size) };
}

/** Central differences, with the edge pixels repeated outwards. */
export function computeGradients(plane: Float32Array, { size, length, turn }: Gradients): void {
  for (let y = 0, at = 0; y < size; y++) {
    const up = y > 0 ? -size : 0;
    const down = y < size - 1 ? size : 0;
    for (let x = 0; x < size; x++, at++) {
      const dx = (plane[x < size - 1 ? at + 1 : at] ?? 0) - (plane[x > 0 ? at - 1 : at] ?? 0);
      const dy = (plane[at + down] ?? 0) - (plane[at + up] ?? 0);
      length[at] = Math.sqrt(dx * dx + dy * dy);
      turn[at] = turnOf(dx, dy);
    }
  }
}

/** atan2 in turns by a polynomial over one octant: accurate to 0.0002 turns, and several times as fast. */
function turnOf(dx: number, dy: number): number {
  const x = Math.abs(dx);
  const y = Math.abs(dy);
  const high = Math.max(x, y);
  if (high === 0) return 0;
  const ratio = Math.min(x, y) / high;
  const square = ratio * ratio;
  let angle = ratio * (0.1589 + square * (-0.0513 + square * (0.0258 - square * 0.0084)));
  if (y > x) angle = 0.25 - angle;
  if (dx < 0) angle = 0.5 - angle;
  return dy < 0 ? Math.min(1 - angle, 0.999999) : angle;
}
