import type { BrandGroup } from "./brands.ts";
import type { MaterialName } from "./materials.ts";

/** How a thing is drawn. */
export type Shape =
  | "sneaker"
  | "hiking-boot"
  | "ankle-boot"
  | "sandal"
  | "tote"
  | "satchel"
  | "messenger"
  | "backpack"
  | "duffel"
  | "watch"
  | "smartwatch"
  | "jacket"
  | "rain-jacket"
  | "tshirt"
  | "running-shirt"
  | "dress"
  | "hat"
  | "beanie"
  | "scarf"
  | "sunglasses"
  | "desk-lamp"
  | "table-lamp"
  | "floor-lamp"
  | "pendant"
  | "mug"
  | "espresso-cup"
  | "travel-mug"
  | "office-chair"
  | "chair"
  | "armchair"
  | "stool"
  | "coffee-table"
  | "desk"
  | "sofa"
  | "rug"
  | "cushion"
  | "vase"
  | "wall-clock"
  | "plant-pot"
  | "kettle"
  | "teapot"
  | "bottle"
  | "headphones"
  | "speaker"
  | "keyboard"
  | "bicycle"
  | "guitar";

/** A kind of product: its names, shape, materials, prices and descriptions. */
export interface Kind {
  category: string;
  noun: string;
  shape: Shape;
  group: BrandGroup;
  materials: readonly [MaterialName, ...MaterialName[]];
  /** The lowest and the highest price, in the major unit of the currency. */
  prices: readonly [number, number];
  uses: readonly [string, ...string[]];
  features: readonly [string, ...string[]];
}

export function defineKinds(kinds: readonly [Kind, ...Kind[]]): readonly [Kind, ...Kind[]] {
  return kinds;
}
