import {
  type ColourName,
  fabricColours,
  leatherColours,
  metalColours,
  paintColours,
  woodColours,
} from "./colours.ts";

/** How a surface is drawn. */
export type Texture = "smooth" | "grain" | "weave" | "knit" | "wood" | "metal" | "glass" | "mesh" | "speckle";

export interface Material {
  /** The name of the material in product names. */
  name: string;
  texture: Texture;
  colours: readonly [ColourName, ...ColourName[]];
  /** A sentence for descriptions. It names no other material, so that an exclusion of one works. */
  care: string;
}

const define = <Name extends string>(table: Record<Name, Omit<Material, "name">>) => table;

const table = define({
  leather: {
    texture: "grain",
    colours: leatherColours,
    care: "The leather gains character with every year.",
  },
  suede: {
    texture: "speckle",
    colours: leatherColours,
    care: "Brush the suede dry and keep it out of the rain.",
  },
  canvas: { texture: "weave", colours: fabricColours, care: "The canvas shrugs off daily wear." },
  mesh: { texture: "mesh", colours: fabricColours, care: "The mesh breathes on warm days and dries fast." },
  nylon: {
    texture: "smooth",
    colours: fabricColours,
    care: "The nylon is light, tear resistant and wipes clean.",
  },
  cotton: { texture: "weave", colours: fabricColours, care: "Machine wash the cotton at 30 degrees." },
  "organic cotton": {
    texture: "weave",
    colours: fabricColours,
    care: "The organic cotton is soft from the first day.",
  },
  linen: {
    texture: "weave",
    colours: fabricColours,
    care: "The linen stays cool and softens with each wash.",
  },
  wool: { texture: "knit", colours: fabricColours, care: "The wool keeps its warmth; wash it by hand." },
  cashmere: { texture: "knit", colours: fabricColours, care: "The cashmere is featherlight and very warm." },
  fleece: { texture: "speckle", colours: fabricColours, care: "The fleece is made from recycled bottles." },
  denim: {
    texture: "weave",
    colours: ["Blue", "Navy Blue", "Black", "Grey", "Sky Blue"],
    care: "Wash the denim rarely and inside out.",
  },
  silk: { texture: "smooth", colours: fabricColours, care: "The silk has a quiet shine; dry clean only." },
  velvet: {
    texture: "speckle",
    colours: fabricColours,
    care: "The velvet catches the light with every move.",
  },
  jute: {
    texture: "weave",
    colours: ["Beige", "Tan", "Brown", "Grey"],
    care: "The jute is spun from a fast-growing plant.",
  },
  oak: { texture: "wood", colours: woodColours, care: "The oak is oiled and comes from managed forests." },
  walnut: { texture: "wood", colours: ["Brown", "Black"], care: "The walnut has a deep, even grain." },
  bamboo: {
    texture: "wood",
    colours: ["Tan", "Beige"],
    care: "The bamboo is hard, light and quick to regrow.",
  },
  rattan: {
    texture: "weave",
    colours: ["Tan", "Beige", "Brown", "White"],
    care: "The rattan is woven by hand.",
  },
  steel: { texture: "metal", colours: metalColours, care: "The steel neither rusts nor stains." },
  brass: { texture: "metal", colours: ["Gold"], care: "The brass may be polished or left to age." },
  aluminium: { texture: "metal", colours: metalColours, care: "The aluminium is light and anodised." },
  titanium: {
    texture: "metal",
    colours: ["Grey", "Silver", "Black"],
    care: "The titanium is half as heavy as it looks.",
  },
  ceramic: { texture: "smooth", colours: paintColours, care: "The ceramic is glazed and dishwasher safe." },
  stoneware: {
    texture: "speckle",
    colours: paintColours,
    care: "The stoneware is fired twice, so each piece differs a little.",
  },
  porcelain: { texture: "smooth", colours: paintColours, care: "The porcelain is thin but strong." },
  glass: {
    texture: "glass",
    colours: ["White", "Sky Blue", "Mint", "Grey", "Pink", "Green"],
    care: "The glass is mouth-blown.",
  },
  enamel: {
    texture: "smooth",
    colours: paintColours,
    care: "The enamel resists scratches and campfires alike.",
  },
  concrete: {
    texture: "speckle",
    colours: ["Grey", "Charcoal", "White", "Beige"],
    care: "The concrete is sealed against stains.",
  },
  terracotta: {
    texture: "speckle",
    colours: ["Orange", "Copper", "Coral"],
    care: "The terracotta lets roots breathe.",
  },
  plastic: { texture: "smooth", colours: paintColours, care: "The plastic is recycled and free of BPA." },
  rubber: { texture: "smooth", colours: fabricColours, care: "The rubber grips on wet ground." },
  carbon: {
    texture: "weave",
    colours: ["Black", "Charcoal", "Red", "Blue"],
    care: "The carbon layup saves every gram.",
  },
  felt: { texture: "speckle", colours: fabricColours, care: "The felt is thick and quiet." },
});

export type MaterialName = keyof typeof table;

export function materialOf(name: MaterialName): Material {
  return { name, ...table[name] };
}
