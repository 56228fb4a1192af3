import type { Design } from "./design.ts";
import { createRandom } from "./random.ts";

/** What customers choose by, where a product stands, and which others are variants of it. */
export interface SampleDetails {
  groupId: string;
  categoryPaths: string[][];
  attributes: Record<string, string[]>;
}

/** The categories above each one that a kind names. */
const parents: Readonly<Record<string, readonly string[]>> = {
  Shoes: ["Clothing & Accessories"],
  Jackets: ["Clothing & Accessories", "Clothing"],
  "T-Shirts": ["Clothing & Accessories", "Clothing"],
  Dresses: ["Clothing & Accessories", "Clothing"],
  Hats: ["Clothing & Accessories", "Accessories"],
  Scarves: ["Clothing & Accessories", "Accessories"],
  Sunglasses: ["Clothing & Accessories", "Accessories"],
  Watches: ["Clothing & Accessories", "Accessories"],
  Bags: ["Luggage & Bags"],
  Chairs: ["Home & Garden", "Furniture"],
  Tables: ["Home & Garden", "Furniture"],
  Sofas: ["Home & Garden", "Furniture"],
  Lamps: ["Home & Garden", "Lighting"],
  Rugs: ["Home & Garden", "Decoration"],
  Cushions: ["Home & Garden", "Decoration"],
  Vases: ["Home & Garden", "Decoration"],
  Clocks: ["Home & Garden", "Decoration"],
  "Plant Pots": ["Home & Garden", "Garden"],
  Mugs: ["Home & Garden", "Kitchen & Dining"],
  Kettles: ["Home & Garden", "Kitchen & Dining"],
  Bottles: ["Home & Garden", "Kitchen & Dining"],
  Headphones: ["Electronics", "Audio"],
  Speakers: ["Electronics", "Audio"],
  Keyboards: ["Electronics", "Computers"],
  Guitars: ["Music"],
  Bicycles: ["Sports & Outdoors"],
};

const sizesByCategory: Readonly<Record<string, readonly string[]>> = {
  Shoes: ["38", "39", "40", "41", "42", "43", "44", "45"],
  Jackets: ["XS", "S", "M", "L", "XL", "XXL"],
  "T-Shirts": ["XS", "S", "M", "L", "XL", "XXL"],
  Dresses: ["XS", "S", "M", "L", "XL"],
  Hats: ["S", "M", "L"],
  Bicycles: ["S", "M", "L", "XL"],
  Rugs: ["120 × 180 cm", "160 × 230 cm", "200 × 300 cm"],
  Cushions: ["40 × 40 cm", "50 × 50 cm"],
};

const rigidTextures: readonly string[] = ["metal", "wood", "glass"];

/** Separates these random choices from the others of a product, which stay as they were in former releases. */
const detailsSeed = 0xde7a;

/** A larger catalog has more groups, not larger ones. */
const productsPerSeries = 2400;

/**
 * The things of one kind and brand in similar materials are a group: they differ in model, colour and size. So 1,440 products of
 * the catalog are about 1,000 groups.
 */
export function sampleDetails(
  number: number,
  brand: string,
  { kind, colour, material }: Design,
): SampleDetails {
  const random = createRandom(detailsSeed ^ Math.imul(number, 0x9e3779b1));
  const look = rigidTextures.includes(material.texture) ? ` ${material.texture}` : "";
  const sizes = sizesByCategory[kind.category];
  const series = Math.floor(number / productsPerSeries);
  return {
    groupId: `${brand} ${kind.noun}${look}${series === 0 ? "" : ` ${series}`}`
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-"),
    categoryPaths: [[...(parents[kind.category] ?? []), kind.category]],
    attributes: {
      color: [colour.name],
      ...(sizes !== undefined && {
        size: someInOrder(sizes, random.integer(1, sizes.length), random.next()),
      }),
      material: [material.name],
    },
  };
}

/** Neighbours in the list: shops sell out of the smallest and the largest first. */
function someInOrder(all: readonly string[], count: number, place: number): string[] {
  const from = Math.floor(place * (all.length - count + 1));
  return all.slice(from, from + count);
}
