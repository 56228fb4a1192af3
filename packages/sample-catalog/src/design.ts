import { createRandom } from "./random.ts";
import kinds from "./tables/kinds.json" with { type: "json" };
import surfaces from "./tables/surfaces.json" with { type: "json" };

/** A kind of product: its names, shape, materials, prices (lowest and highest, in the major unit) and descriptions. */
export type Kind = (typeof kinds)[number];

/** The name of a colour, and how it is drawn. */
export interface Colour {
  name: string;
  hex: string;
}

export interface Material {
  /** In product names. */
  name: string;
  /** How a surface is drawn. */
  texture: string;
  /** A sentence for descriptions. It names no other material, so that an exclusion of one works. */
  care: string;
}

/** The look of a product. There are this many; further products share a design and differ in brand, name and price. */
export const designCount = 5000;

export interface Design {
  number: number;
  kind: Kind;
  material: Material;
  colour: Colour;
  secondColour: Colour;
}

const hexes: Readonly<Record<string, string>> = surfaces.colours;
const palettes: Readonly<Record<string, readonly string[]>> = surfaces.palettes;
/** The colours of a material: the name of a palette, or a list. */
const materials: Readonly<Record<string, Omit<Material, "name"> & { colours: string | readonly string[] }>> =
  surfaces.materials;

export function designOf(number: number): Design {
  const random = createRandom(number);
  const kind = kinds[number % kinds.length];
  if (kind === undefined) throw new RangeError(`There is no design ${number}.`);
  const name = random.pick(kind.materials);
  const surface = entry(materials, name);
  const { colours, texture, care } = surface;
  const colour = colourOf(random.pick(typeof colours === "string" ? entry(palettes, colours) : colours));
  const others = entry(palettes, "paint").filter((one) => one !== colour.name);
  return {
    number,
    kind,
    material: { name, texture, care },
    colour,
    secondColour: colourOf(random.pick(others)),
  };
}

function colourOf(name: string): Colour {
  return { name, hex: entry(hexes, name) };
}

/** The data of this package name each other. */
function entry<Value>(table: Readonly<Record<string, Value>>, name: string): Value {
  const value = table[name];
  if (value === undefined) throw new Error(`The sample data have no "${name}".`);
  return value;
}
