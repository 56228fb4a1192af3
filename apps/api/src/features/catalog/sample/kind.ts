import type { BrandGroup } from "./brands.ts";
import type { MaterialName } from "./materials.ts";
import type { Shape } from "./pictures/shapes.ts";

/** What a product can be: how it is called, drawn, made, priced and praised. */
export interface Kind {
  category: string;
  noun: string;
  shape: Shape;
  group: BrandGroup;
  materials: readonly [MaterialName, ...MaterialName[]];
  /** From the cheapest to the dearest, in the currency's main unit. */
  prices: readonly [number, number];
  uses: readonly [string, ...string[]];
  features: readonly [string, ...string[]];
}

export function defineKinds(kinds: readonly [Kind, ...Kind[]]): readonly [Kind, ...Kind[]] {
  return kinds;
}
