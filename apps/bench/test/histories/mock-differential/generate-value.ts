import type { Random } from "@product-search/sample-catalog";
import type { Schema } from "@product-search/spec/operations";
import type { Reference } from "./generated-request.ts";
import { pick } from "./pick.ts";

/** The keywords of JSON Schema that the document's requests use. */
interface FullSchema extends Schema {
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  items?: FullSchema;
  required?: string[];
  format?: string;
}

const words = [
  "lamp",
  "table lamp",
  "red shoes under 80",
  "zzqqxxjj",
  "sofa -oak",
  "Northfell",
  "kvist",
  "boots",
  "lmap",
  "a",
  "gift for him",
];
/** A red disc on white, 48 × 48. */
const image =
  "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAIAAADYYG7QAAAAcklEQVR42u3YwQ3AMAhDUY+T/afoVs0GDUoIwtVHDPBu2OhtNgIECBAgQFmgZ4zvrQMtKScsXdVsmHSVssFSjSZu8gSlaIImVWoiJjdQumZpAgQIECBA5iCOq2MeIsKato6Ovaxpc+3Y7XnHAAIE6NegCX9fvb+yPQEHAAAAAElFTkSuQmCC";

/** Values that a schema cannot describe, by the name of their parameter or field. */
const named: Record<string, (random: Random) => unknown> = {
  q: (random) => pick(words, random),
  query: (random) => pick(words, random),
  priceRange: (random) => random.pick(["[10,100]", "20,60", "[0,0]", "[5.5,19.99]"]),
  base64String: (random) =>
    random.pick([image, image, `data:image/png;base64,${image}`, "aGVsbG8=", "%%%", ""]),
  webhookUrl: (random) => random.pick(["TARGET/one", "TARGET/two", "not a url"]),
  productIds: (random): Reference[] => [{ kind: "product", index: random.integer(0, 9) }],
  brands: (random) => random.pick(["Northfell", "Kvist,Ilmari", "nobody", ""]),
  categories: (random) => random.pick(["Lamps", "lamps,Sofas", "none"]),
  stores: (random) => random.pick(["Sundial Shop", "none"]),
  availability: (random) => random.pick(["in_stock", "in_stock,preorder", "gone"]),
  facets: (random) => random.pick(["brands", "price,rating", "colours"]),
  cursor: (random) => random.pick(["abc", "MQ", ""]),
  from: (random) => random.pick(["2026-01-01T00:00:00Z", "yesterday"]),
  to: (random) => random.pick(["2026-12-01T00:00:00Z", "2020-01-01T00:00:00Z"]),
  until: (random) => random.pick(["2026-12-01T00:00:00Z", "2020-01-01T00:00:00Z"]),
  history: (random) => [pick(words, random)],
};

/** A value that fits the schema, as far as a schema says it. */
export function generateValue(schema: Schema, name: string, random: Random): unknown {
  const given = named[name];
  if (given) return given(random);
  const {
    type,
    enum: values,
    minimum = 0,
    maximum = 50,
    items,
    properties = {},
    required = [],
  }: FullSchema = schema;
  if (values) return pick(values, random);
  if (type === "boolean") return random.chance(0.5);
  if (type === "integer") return random.integer(minimum, Math.min(maximum, minimum + 20));
  if (type === "number") return random.integer(minimum, Math.min(maximum, minimum + 20)) / 2;
  if (type === "array") return items ? [generateValue(items, "item", random)] : [];
  if (type !== "object") return pick(words, random);
  const wanted = Object.entries(properties).filter(([key]) => required.includes(key) || random.chance(0.3));
  return Object.fromEntries(wanted.map(([key, value]) => [key, generateValue(value, key, random)]));
}
