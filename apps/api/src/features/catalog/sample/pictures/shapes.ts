import type { Draw } from "./draw.ts";
import { homeShapes } from "./home-shapes.ts";
import { wornShapes } from "./worn-shapes.ts";

const shapes = { ...wornShapes, ...homeShapes } satisfies Record<string, (draw: Draw) => string[]>;

export type Shape = keyof typeof shapes;

/** The parts of the thing from back to front, as SVG elements. */
export function drawShape(shape: Shape, draw: Draw): string {
  return shapes[shape](draw).join("");
}
