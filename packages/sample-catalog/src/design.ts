import { type Colour, colourOf, paintColours } from "./colours.ts";
import type { Kind } from "./kind.ts";
import { homeKinds } from "./kinds-home.ts";
import { wornKinds } from "./kinds-worn.ts";
import { type Material, materialOf } from "./materials.ts";
import { createRandom } from "./random.ts";

/** The look of a product. There are this many; further products share a design and differ in brand, name and price. */
export const designCount = 5000;

export interface Design {
  number: number;
  kind: Kind;
  material: Material;
  colour: Colour;
  secondColour: Colour;
}

const kinds = [...wornKinds, ...homeKinds];

export function designOf(number: number): Design {
  const random = createRandom(number);
  const kind = kinds[number % kinds.length] ?? wornKinds[0];
  const material = materialOf(random.pick(kind.materials));
  const colour = colourOf(random.pick(material.colours));
  const [first, ...others] = paintColours.filter((name) => name !== colour.name).map(colourOf);
  return { number, kind, material, colour, secondColour: first ? random.pick([first, ...others]) : colour };
}
