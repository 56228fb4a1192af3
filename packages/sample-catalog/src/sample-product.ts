import { marketplaces, type ProductSource } from "@product-search/core/domain/fields.ts";
import { type Design, designCount, designOf } from "./design.ts";
import { createRandom, type Random } from "./random.ts";
import words from "./tables/words.json" with { type: "json" };

/** The number of products in a new installation. */
export const defaultSampleSize = 2400;

/** An invented product. Its URL is missing: the service derives it from its own identifiers. */
export interface SampleProduct extends SamplePrices, SampleDetails {
  source: ProductSource;
  /** Unique within the source. */
  key: string;
  name: string;
  brand?: string;
  storeName: string;
  description: string;
  category: string;
  /** Paths that `parseImageAddress` reads. */
  images: string[];
  availability: "in_stock" | "out_of_stock" | "preorder" | "backorder";
  averageRating?: number;
  reviewCount?: number;
  isVerified: boolean;
  isBoosted: boolean;
}

export interface SampleSettings {
  /** The number of decimals of the currency: 2 for USD, 0 for JPY. */
  currencyDecimals: number;
  nowMs: number;
}

/** Separates the random choices of a product from those of its design. */
const productSeed = 0x5eed;

/** The invented product with that number: always the same, with prices dated relative to `nowMs`. */
export function sampleProduct(number: number, settings: SampleSettings): SampleProduct {
  const random = createRandom(productSeed ^ Math.imul(number, 0x9e3779b1));
  const design = designOf(number % designCount);
  const { kind } = design;
  const source = sourceOf(number);
  const brand = random.pick(brandsOf(kind.group));
  const name = nameOf(source, brand, modelName(random), design);
  const prefix = source === "catalog" ? "S" : source.slice(-1).toUpperCase();
  const key = `${prefix}${String(number).padStart(7, "0")}`;
  return {
    source,
    key,
    name,
    ...(random.chance(0.98) && { brand }),
    storeName: random.pick(words.stores),
    description: descriptionOf(random, design),
    category: kind.category,
    ...sampleDetails(number, brand, design),
    images: imageAddresses(random, design),
    ...samplePrices(random, kind.prices, number < designCount ? 6 : 1, settings),
    ...standingOf(random),
  };
}

/** Three of five products are in the catalog; the marketplaces share the others. */
function sourceOf(number: number): ProductSource {
  const place = number % 5;
  if (place % 2 === 0) return "catalog";
  const earlier = 2 * Math.floor(number / 5) + (place > 1 ? 1 : 0);
  return marketplaces[earlier % marketplaces.length] ?? "catalog";
}

function nameOf(
  source: ProductSource,
  brand: string,
  model: string,
  { kind, colour, material }: Design,
): string {
  if (source === "catalog") return `${brand} ${model} ${kind.noun}, ${colour.name} ${capital(material.name)}`;
  if (source === marketplaces[0])
    return `${brand} ${kind.noun} ${model} – ${colour.name}, ${capital(material.name)}`;
  return `${kind.noun} ${model} by ${brand} in ${colour.name} (${capital(material.name)})`;
}

function brandsOf(group: string): readonly string[] {
  const brands: Readonly<Record<string, readonly string[]>> = words.brands;
  return brands[group] ?? [];
}

/** Replaces `{use}` by the text of that name, and `{Use}` by the same with a capital letter. */
function filled(template: string, texts: Readonly<Record<string, string>>): string {
  return template.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => texts[name] ?? capital(texts[name.toLowerCase()] ?? ""),
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function modelName(random: Random): string {
  const start = Array.from({ length: random.integer(1, 2) }, () => random.pick(words.syllables)).join("");
  const name = capital(start + random.pick(words.endings));
  return random.chance(0.25) ? `${name} ${random.integer(2, 9)}` : name;
}

function descriptionOf(random: Random, { kind, colour, material }: Design): string {
  const thing = `${kind.noun.toLowerCase()} in ${colour.name.toLowerCase()} ${material.name}`;
  const [first = "", second = ""] = random.several(kind.features, 2);
  const use = random.pick(kind.uses);
  return [
    filled(random.pick(words.openings), { praise: random.pick(words.praises), thing, use }),
    `${capital(first)}, ${second}.`,
    material.care,
    random.pick(words.closings),
  ].join(" ");
}

function imageAddresses(random: Random, { number }: Design): string[] {
  const views = random.chance(0.12) ? 3 : 1;
  return Array.from({ length: views }, (_, view) => imageAddress({ design: number, view }));
}

/** Availability, ratings and verification. */
function standingOf(random: Random) {
  const lot = random.next();
  const availability =
    lot < 0.88 ? "in_stock" : lot < 0.94 ? "out_of_stock" : lot < 0.97 ? "preorder" : "backorder";
  const isRated = random.chance(0.92);
  const rating = 5 - 2.2 * random.next() ** 1.8;
  return {
    availability,
    ...(isRated && {
      averageRating: Math.round(rating * 10) / 10,
      reviewCount: Math.ceil(2 * 10 ** (3 * random.next() ** 1.5)),
    }),
    isVerified: random.chance(0.6),
    isBoosted: random.chance(0.04),
  } as const;
}

const dayMs = 24 * 60 * 60 * 1000;
const historyDays = 90;

/** A price in minor units and the time when it took effect, in milliseconds since 1970. */
interface SamplePrice {
  priceMinor: number;
  atMs: number;
}

interface SamplePrices {
  priceMinor: number;
  /** The price before a reduction, true or claimed. */
  originalPriceMinor?: number;
  /** Oldest first; the last one is the current price. */
  formerPrices: SamplePrice[];
}

/**
 * Ninety days of prices up to today. The last one is the list price or a reduction. Some sellers claim a former price
 * that was never in effect, so that the quality score can detect it. `changes` is the maximum length of the history.
 */
function samplePrices(
  random: Random,
  [cheapest = 0, dearest = cheapest]: readonly number[],
  changes: number,
  { currencyDecimals, nowMs }: { currencyDecimals: number; nowMs: number },
): SamplePrices {
  const list = cheapest * (dearest / cheapest) ** random.next();
  const isReduced = random.chance(0.3);
  const claimsWrongly = !isReduced && random.chance(0.15);
  const reduced = () => list * random.between(0.6, 0.92);
  const toMinor = (price: number) => retailPrice(price, currencyDecimals);

  const count = random.integer(0, changes);
  const days = Array.from({ length: count }, () => random.between(1, historyDays - 1)).sort((a, b) => b - a);
  const former = [historyDays, ...days].map((day, index) => ({
    priceMinor: toMinor(index % 2 === 0 ? list : random.chance(0.8) ? reduced() : list * 1.06),
    atMs: Math.round(startOfDay(nowMs) - day * dayMs),
  }));
  const priceMinor = isReduced ? toMinor(reduced()) : toMinor(list);
  const presentSinceMs =
    startOfDay(nowMs) - Math.round(random.between(0.1, 0.9) * (days.at(-1) ?? 30) * dayMs);
  const claimed = isReduced
    ? toMinor(list)
    : claimsWrongly
      ? toMinor(list * random.between(1.25, 1.8))
      : undefined;
  return {
    priceMinor,
    ...(claimed !== undefined && claimed > priceMinor && { originalPriceMinor: claimed }),
    formerPrices: withoutRepeats([...former, { priceMinor, atMs: presentSinceMs }]),
  };
}

/** Ends in .99, .95, .49 or .00, as in shops. In currencies without decimals, prices are a hundred times as high. */
function retailPrice(price: number, currencyDecimals: number): number {
  const whole = Math.floor(price);
  const endings = [99, 95, 49, 0] as const;
  const hundredths = whole * 100 + (endings[whole % 4] ?? 0);
  return hundredths * 10 ** Math.max(0, currencyDecimals - 2);
}

function withoutRepeats(prices: readonly SamplePrice[]): SamplePrice[] {
  return prices.filter((price, index) => price.priceMinor !== prices[index - 1]?.priceMinor);
}

function startOfDay(nowMs: number): number {
  return nowMs - (nowMs % dayMs);
}

export interface SampleImageName {
  design: number;
  /** 0 is the main image. */
  view: number;
}

const viewCount = 3;
const prefix = "/images/sample/";

export function imageAddress({ design, view }: SampleImageName): string {
  return `${prefix}${design}-${view + 1}.jpg`;
}

/** Undefined if the URL is not that of a sample image. */
export function parseImageAddress(address: string): SampleImageName | undefined {
  const [, design, view] = /^\/images\/sample\/(\d{1,4})-(\d)\.jpg$/.exec(address) ?? [];
  const name = { design: Number(design), view: Number(view) - 1 };
  const exists = name.design < designCount && name.view >= 0 && name.view < viewCount;
  return exists && imageAddress(name) === address ? name : undefined;
}

/** What customers choose by, where a product stands, and which others are variants of it. */
interface SampleDetails {
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
function sampleDetails(number: number, brand: string, { kind, colour, material }: Design): SampleDetails {
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
