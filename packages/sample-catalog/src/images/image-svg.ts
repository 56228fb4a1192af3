import type { Colour, Material } from "../design.ts";
import type { Random } from "../random.ts";
import { bagShapes } from "./bag-shapes.ts";
import { clothingShapes } from "./clothing-shapes.ts";
import { decorationShapes } from "./decoration-shapes.ts";
import { deviceShapes } from "./device-shapes.ts";
import type { Draw } from "./draw.ts";
import { footwearShapes } from "./footwear-shapes.ts";
import { furnitureShapes } from "./furniture-shapes.ts";
import { kitchenShapes } from "./kitchen-shapes.ts";
import { lampShapes } from "./lamp-shapes.ts";
import { textureMarks } from "./textures.ts";

const shapes: Readonly<Record<string, (draw: Draw) => string[]>> = {
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
function drawShape(shape: string, draw: Draw): string {
  const parts = shapes[shape];
  if (parts === undefined) throw new Error(`There is no drawing of a ${shape}.`);
  return parts(draw).join("");
}

export interface Subject {
  shape: string;
  colour: Colour;
  /** Soles, straps, shades. */
  secondColour: Colour;
  material: Material;
}

const backdrops = ["#ffffff", "#f6f5f2", "#eef1f4", "#f3ece4", "#e9efe9"] as const;

/**
 * A product on a plain background, as in shops. `form` sets its proportions, `view` its position. The same random
 * numbers give the same image.
 */
export function imageSvg(subject: Subject, form: Random, view: Random, size: number): string {
  const backdrop = view.pick(backdrops);
  const turn = view.between(-5, 5);
  const scale = view.between(0.84, 1);
  const mirrored = view.chance(0.3) ? -1 : 1;
  const place = `translate(200 200) rotate(${turn.toFixed(1)}) scale(${(mirrored * scale).toFixed(3)} ${scale.toFixed(3)}) translate(-200 -200)`;
  const grainSize = form.between(14, 26).toFixed(1);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" width="${size}" height="${size}"><defs>`,
    gradient("body", subject.colour.hex, subject.material.texture),
    gradient("trim", subject.secondColour.hex, "smooth"),
    `<pattern id="texture" width="24" height="24" viewBox="0 0 24 24" patternUnits="userSpaceOnUse" patternTransform="scale(${(Number(grainSize) / 24).toFixed(2)})">${textureMarks(subject.material.texture, form)}</pattern></defs>`,
    `<rect width="400" height="400" fill="${backdrop}"/>`,
    `<ellipse cx="200" cy="368" rx="${view.integer(90, 140)}" ry="10" fill="#000" fill-opacity=".1"/>`,
    `<g transform="${place}">${drawShape(subject.shape, createDraw(form))}</g></svg>`,
  ].join("");
}

function createDraw(random: Random): Draw {
  const part = (fill: string) => (path: string) =>
    `<path d="${path}" fill="${fill}" stroke="#000" stroke-opacity=".25" stroke-width="1.5"/>`;
  const stroke = (colour: string) => (path: string, width: number) =>
    `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
  const body = part("url(#body)");
  const bodyStroke = stroke("url(#body)");
  // White products must be visible on a white background.
  const edge = stroke("rgba(0,0,0,.25)");
  return {
    random,
    body: (path) => `${body(path)}<path d="${path}" fill="url(#texture)"/>`,
    trim: part("url(#trim)"),
    dark: part("#1b1d22"),
    leaf: part("#4d8b4a"),
    painted: (path, colour) => part(colour)(path),
    line: stroke("#4a4540"),
    bodyLine: (path, width) => edge(path, width + 3) + bodyStroke(path, width),
  };
}

/** Light comes from the upper left; metal and glass are shinier than cloth. */
function gradient(id: string, hex: string, texture: Material["texture"]): string {
  const shine = texture === "metal" || texture === "glass" ? 0.5 : 0.18;
  const stops = texture === "metal" ? [shine, 0, shine * 0.7, -0.35] : [shine, 0, -0.1, -0.28];
  const colours = stops
    .map((amount, at) => `<stop offset="${(at / 3).toFixed(2)}" stop-color="${shade(hex, amount)}"/>`)
    .join("");
  return `<linearGradient id="${id}" gradientUnits="userSpaceOnUse" x1="60" y1="40" x2="340" y2="360">${colours}</linearGradient>`;
}

/** Mixed with white if the amount is positive, with black if it is negative. */
function shade(hex: string, amount: number): string {
  const target = amount > 0 ? 255 : 0;
  const channels = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16);
    return Math.round(value + (target - value) * Math.abs(amount))
      .toString(16)
      .padStart(2, "0");
  });
  return `#${channels.join("")}`;
}
