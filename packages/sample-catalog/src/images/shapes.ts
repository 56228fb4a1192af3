import type { Shape } from "../kind.ts";
import type { Draw } from "./draw.ts";
import { homeShapes } from "./home-shapes.ts";
import { wornShapes } from "./worn-shapes.ts";

const shapes: Record<Shape, (draw: Draw) => string[]> = { ...wornShapes, ...homeShapes };

/** The parts of the thing from back to front, as SVG elements. */
export function drawShape(shape: Shape, draw: Draw): string {
  return shapes[shape](draw).join("");
}
