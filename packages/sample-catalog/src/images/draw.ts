import type { Random } from "../random.ts";

/** Functions to draw shapes on a field of 400 × 400. A path has the syntax of SVG's `d`. */
export interface Draw {
  random: Random;
  /** A part in the product's own colour and material. */
  body(path: string): string;
  /** A part in the second colour: soles, straps, shades. */
  trim(path: string): string;
  /** A part that is always dark: lenses, screens, openings. */
  dark(path: string): string;
  /** A leaf: always green. */
  leaf(path: string): string;
  /** A part that has the same colour on every product: water, light, paper. */
  painted(path: string, colour: string): string;
  /** A seam, a wire or a leg. */
  line(path: string, width: number): string;
  /** The same in the product's own colour. */
  bodyLine(path: string, width: number): string;
}

export function ellipse(centreX: number, centreY: number, radiusX: number, radiusY = radiusX): string {
  const arc = `a${fixed(radiusX)} ${fixed(radiusY)} 0 1 0`;
  return `M${fixed(centreX - radiusX)} ${fixed(centreY)}${arc} ${fixed(2 * radiusX)} 0${arc} ${fixed(-2 * radiusX)} 0Z`;
}

export function box(x: number, y: number, width: number, height: number, radius = 0): string {
  const r = Math.min(radius, width / 2, height / 2);
  const corner = (dx: number, dy: number) => `a${fixed(r)} ${fixed(r)} 0 0 1 ${fixed(dx)} ${fixed(dy)}`;
  return `M${fixed(x + r)} ${fixed(y)}h${fixed(width - 2 * r)}${corner(r, r)}v${fixed(height - 2 * r)}${corner(-r, r)}h${fixed(2 * r - width)}${corner(-r, -r)}v${fixed(2 * r - height)}${corner(r, -r)}Z`;
}

export function polygon(...points: readonly (readonly [number, number])[]): string {
  return `M${points.map(([x, y]) => `${fixed(x)} ${fixed(y)}`).join("L")}Z`;
}

function fixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}
