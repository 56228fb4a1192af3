import type { Shape } from "../kind.ts";
import { bagShapes } from "./bag-shapes.ts";
import { clothingShapes } from "./clothing-shapes.ts";
import { decorationShapes } from "./decoration-shapes.ts";
import { deviceShapes } from "./device-shapes.ts";
import type { Draw } from "./draw.ts";
import { footwearShapes } from "./footwear-shapes.ts";
import { furnitureShapes } from "./furniture-shapes.ts";
import { kitchenShapes } from "./kitchen-shapes.ts";
import { lampShapes } from "./lamp-shapes.ts";

const shapes: Record<Shape, (draw: Draw) => string[]> = {
  ...footwearShapes,
  ...bagShapes,
  ...clothingShapes,
  ...lampShapes,
  ...kitchenShapes,
  ...furnitureShapes,
  ...decorationShapes,
  ...deviceShapes,
};

/** The parts of the thing from back to front, as SVG elements. */
export function drawShape(shape: Shape, draw: Draw): string {
  return shapes[shape](draw).join("");
}
