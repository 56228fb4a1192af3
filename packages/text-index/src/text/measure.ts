import { fold } from "./tokenize.ts";

/** A number of an attribute, in the base unit of its dimension: 1.7 l and 1700 ml are the same. */
export interface Measure {
  readonly value: number;
  /** Empty for a number without a unit. A unit that is not known is a dimension of its own. */
  readonly dimension: string;
  /** As written, folded. */
  readonly unit: string;
}

export interface Unit {
  readonly dimension: string;
  /** Base units in it. */
  readonly factor: number;
}

const inch = 25.4;
const ounce = 28.349523125;

/** The units of each dimension, each with its factor and its spellings. */
const dimensions: Readonly<Record<string, ReadonlyArray<readonly [factor: number, ...spellings: string[]]>>> =
  {
    volume: [
      [1, "ml", "milliliter", "millilitre"],
      [10, "cl", "centiliter", "centilitre"],
      [100, "dl"],
      [1000, "l", "liter", "litre", "liters", "litres", "ltr"],
      [1e6, "m3", "m³"],
      [29.5735295625, "fl oz", "fl.oz", "fl. oz"],
    ],
    mass: [
      [0.001, "mg"],
      [1, "g", "gr", "gram", "grams", "gramm"],
      [1000, "kg", "kilo", "kilos", "kilogram", "kilograms", "kilogramm"],
      [1e6, "t"],
      [ounce, "oz", "ounce", "ounces"],
      [16 * ounce, "lb", "lbs", "pound", "pounds"],
    ],
    length: [
      [1, "mm", "millimeter", "millimetre"],
      [10, "cm", "centimeter", "centimetre", "zentimeter"],
      [100, "dm"],
      [1000, "m", "meter", "metre", "meters", "metres"],
      [1e6, "km"],
      [inch, "in", "inch", "inches", "zoll", '"', "″"],
      [12 * inch, "ft", "foot", "feet", "'"],
    ],
    area: [
      [1, "cm2", "cm²"],
      [10_000, "m2", "m²", "qm", "sqm"],
    ],
    power: [
      [0.001, "mw"],
      [1, "w", "watt", "watts"],
      [1000, "kw"],
    ],
    voltage: [
      [0.001, "mv"],
      [1, "v", "volt", "volts"],
      [1000, "kv"],
    ],
    charge: [
      [1, "mah"],
      [1000, "ah"],
    ],
    energy: [
      [1, "wh"],
      [1000, "kwh"],
    ],
    data: [
      [0.001, "kb"],
      [1, "mb"],
      [1000, "gb"],
      [1e6, "tb"],
    ],
    frequency: [
      [1, "hz"],
      [1000, "khz"],
      [1e6, "mhz"],
      [1e9, "ghz"],
    ],
    time: [
      [0.001, "ms"],
      [1, "s", "sec", "second", "seconds", "sek"],
      [60, "min", "minute", "minutes", "mins"],
      [3600, "h", "hour", "hours", "std"],
    ],
  };

const units: ReadonlyMap<string, Unit> = new Map(
  Object.entries(dimensions).flatMap(([dimension, list]) =>
    list.flatMap(([factor, ...spellings]) =>
      spellings.map((spelling): [string, Unit] => [spelling, { dimension, factor }]),
    ),
  ),
);

/** The first spelling of a dimension with the factor 1 names its base unit. */
const bases: ReadonlyMap<string, string> = new Map(
  Object.entries(dimensions).map(([dimension, list]) => [
    dimension,
    list.find(([factor]) => factor === 1)?.[1] ?? dimension,
  ]),
);

/** How units are written, folded; `mm` and `zoll`, not the marks of inches. */
export const unitSpellings: readonly string[] = [...units.keys()].filter((unit) => /^[a-z]/.test(unit));

/** Of a folded word; undefined if it is no unit. */
export function knownUnit(word: string): (Unit & { readonly base: string }) | undefined {
  const unit = units.get(word);
  return unit && { ...unit, base: bases.get(unit.dimension) ?? unit.dimension };
}

export function unitOf(text: string): Unit {
  const unit = unitKey(text);
  return units.get(unit) ?? { dimension: unit, factor: 1 };
}

function unitKey(text: string): string {
  return fold(text).trim().replace(/\.$/, "");
}

const thousands = /^\d{1,3}(,\d{3})+(\.\d+)?$/;
/** A number, and at most two words. */
const measure = /^([+-]?\d[\d.,]*)\s*([^\d\s]\S{0,19}(?: \S{1,10})?)?$/;

/** The number that a text is, with or without a unit; undefined for any other text. */
export function readMeasure(text: string): Measure | undefined {
  const [, digits, unit = ""] = measure.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(thousands.test(digits) ? digits.replaceAll(",", "") : digits.replace(",", "."));
  if (!Number.isFinite(number)) return undefined;
  const { dimension, factor } = unitOf(unit);
  return { value: scaled(number, factor), dimension, unit: unitKey(unit) };
}

const digitsKept = 12;

/** Without the errors of binary fractions: 0.1 l is 100 ml. */
export function scaled(number: number, factor: number): number {
  const product = number * factor;
  // Of most measures: to make a text and read it takes ten times as long.
  if (Number.isInteger(product) && Math.abs(product) < 10 ** digitsKept) return product + 0;
  return Number(product.toPrecision(digitsKept));
}
