import type { DocumentNumber } from "@product-search/text-index";
import { type AnyProduct, writtenSourceValues } from "@product-search/types";
import type { Availability } from "./availability.ts";

/** All sources, as the spec lists them: stores number them in this order. */
export const productSources = writtenSourceValues;

const [, ...others] = productSources;
/** Each is searched by an operation of its own, and has a form of its own in responses, see `marketplaceItems`. */
export const marketplaces: Readonly<typeof others> = others;
export type Marketplace = (typeof marketplaces)[number];

/** Where a product came from. */
export type ProductSource = (typeof productSources)[number];

/** What customers choose by, such as `color` and `size`: each name with its values. */
export type ProductAttributes = Readonly<Record<string, string[]>>;

/** What a field holds. Each kind is stored, read, checked, compared and written in one way. */
export interface FieldValues {
  source: ProductSource;
  availability: Availability;
  /** Plain text of any length. */
  text: string;
  /** A short text, which is cut if it is too long. */
  label: string;
  /** A short text that is refused if it is too long: a part of it could be another one. */
  code: string;
  gtin: string;
  language: string;
  /** Absolute, or a path relative to PUBLIC_URL. */
  address: string;
  /** An object, as JSON. */
  json: string;
  /** In the smallest unit of the currency. */
  money: number;
  number: number;
  count: number;
  /** Milliseconds since 1970. */
  time: number;
  flag: boolean;
  addresses: readonly string[];
  labels: readonly string[];
  paths: readonly string[][];
  attributes: ProductAttributes;
}

export type FieldKind = keyof FieldValues;

export interface FieldRule {
  kind: FieldKind;
  /** `row`: shops write it, and it is a part of a change. `service`: all others. */
  by: "row" | "service";
  /** It may be unknown. */
  optional?: true;
  /** What a row without it means, where that is not "unknown" or a reason to refuse the row. */
  ifAbsent?: "kept" | 0;
  /** Its columns in Google's format; exports write the first. */
  google?: readonly [string, ...string[]];
  /** What a number may be. */
  min?: number;
  max?: number;
}

/** Google's fields that customers choose by. */
export const attributeFields = [
  "color",
  "size",
  "material",
  "pattern",
  "gender",
  "age_group",
  "condition",
  "size_type",
  "size_system",
] as const;

/**
 * The fields of a product: the only list of them. The types of products are made from it; stores, row readers, exports,
 * comparisons and updates read it.
 */
export const productFields = {
  /** The dense row id of the product: its document number in every index. */
  rowId: { kind: "count", by: "service" },
  source: { kind: "source", by: "service" },
  /** The feed's own identifier, for marketplaces the item code. Unique within the source. */
  key: { kind: "code", by: "service", google: ["id"] },
  /** `_id` in responses: `<marketplace>_<item code>` for marketplaces, 24 hex digits for the catalog. */
  id: { kind: "text", by: "service" },
  slug: { kind: "text", by: "service" },
  name: { kind: "text", by: "row", google: ["title", "name"] },
  priceMinor: { kind: "money", by: "row", google: ["price", "sale_price", "sale_price_effective_date"] },
  /** The price before a reduction, if the feed has one. */
  originalPriceMinor: { kind: "money", by: "row", optional: true, google: ["original_price"] },
  availability: { kind: "availability", by: "row", google: ["availability"] },
  brand: { kind: "label", by: "row", optional: true, google: ["brand"] },
  storeName: { kind: "label", by: "row", google: ["store_name", "seller_name"] },
  description: { kind: "text", by: "row", google: ["description"] },
  /** The innermost name of the first category. */
  category: { kind: "label", by: "row", optional: true },
  /** All categories, see `categoryPathsOf`. Absent if there is only `category`, with no level above it. */
  categoryPaths: {
    kind: "paths",
    by: "row",
    optional: true,
    google: ["product_type", "google_product_category"],
  },
  /** Products of a source with the same one are variants of one thing. */
  groupId: { kind: "code", by: "row", optional: true, google: ["item_group_id"] },
  /** By names in lower case, see domain/attributes.ts. */
  attributes: {
    kind: "attributes",
    by: "row",
    optional: true,
    google: ["product_detail", "variant_option", ...attributeFields],
  },
  tags: { kind: "labels", by: "row", optional: true, google: ["tags"] },
  /** The number under the barcode, see domain/feed-values.ts. */
  gtin: { kind: "gtin", by: "row", optional: true, google: ["gtin", "ean", "upc", "barcode"] },
  /** The manufacturer's own number of the product. */
  mpn: { kind: "label", by: "row", optional: true, google: ["mpn"] },
  /** The language of name and description, as in ISO 639-1. Detected if absent. */
  language: { kind: "language", by: "row", optional: true, google: ["content_language", "language"] },
  url: { kind: "address", by: "row", google: ["link"] },
  images: { kind: "addresses", by: "row", google: ["image_link", "additional_image_link"] },
  averageRating: {
    kind: "number",
    by: "row",
    optional: true,
    google: ["average_rating"],
    min: 0,
    max: 5,
  },
  reviewCount: { kind: "count", by: "row", ifAbsent: 0, google: ["review_count", "rating_count"] },
  releasedAtMs: { kind: "time", by: "row", optional: true, google: ["released_at"] },
  /** The shop's own order, higher first. */
  rank: { kind: "number", by: "row", optional: true, google: ["rank"] },
  isVerified: { kind: "flag", by: "row", ifAbsent: "kept" },
  isBoosted: { kind: "flag", by: "row", ifAbsent: "kept" },
  /** The shop's own data. */
  custom: { kind: "json", by: "row", optional: true, google: ["custom"] },
  /** Discount in percent against the lowest price of the 30 days before the current price took effect. */
  discountVal: { kind: "number", by: "service" },
  /** 0–100, see domain/service-score.ts; absent if nothing is known to score. */
  serviceScore: { kind: "number", by: "service", optional: true },
  /** 1 to 1000 by what customers did with it, see the insights of features; absent without any. Not written by imports. */
  popularity: { kind: "count", by: "service", optional: true },
  /** When the current price took effect. */
  priceSinceMs: { kind: "time", by: "service" },
  createdAtMs: { kind: "time", by: "service" },
  updatedAtMs: { kind: "time", by: "service" },
} as const satisfies Record<string, FieldRule>;

type Rules = typeof productFields;
export type FieldName = keyof Rules;
type FieldsWith<Rule> = { [Field in FieldName]: Rules[Field] extends Rule ? Field : never }[FieldName];

/** What shops write. */
export type RowField = FieldsWith<{ by: "row" }>;
export type OptionalField = FieldsWith<{ optional: true }>;
/** What a row may leave out although every product has it. */
export type DefaultedField = FieldsWith<{ ifAbsent: "kept" | 0 }>;
export type KindOf<Field extends FieldName> = Rules[Field]["kind"];
export type ValueOf<Field extends FieldName> = FieldValues[KindOf<Field>];

/** All fields with their values. */
export type FieldsOfProduct = {
  -readonly [Field in keyof Rules as Field extends OptionalField ? never : Field]: ValueOf<Field>;
} & { -readonly [Field in keyof Rules as Field extends OptionalField ? Field : never]?: ValueOf<Field> };

/** The fields that the numbers of the text index hold, by which it filters and sorts. */
export const indexedNumbers = {
  priceMinor: "priceMinor",
  rating: "averageRating",
  discount: "discountVal",
  newest: "releasedAtMs",
  rank: "rank",
} as const satisfies Record<DocumentNumber, FieldsWith<{ kind: "money" | "number" | "time" }>>;

const isField = (name: string): name is FieldName => Object.hasOwn(productFields, name);
export const fieldNames = Object.keys(productFields).filter(isField);

export function ruleOf(field: FieldName): FieldRule {
  return productFields[field];
}

const isRowField = (field: FieldName): field is RowField => productFields[field].by === "row";
export const rowFields = fieldNames.filter(isRowField);

const isOptional = (field: FieldName): field is OptionalField => ruleOf(field).optional === true;
export const optionalFields = fieldNames.filter(isOptional);

/** The members of a product in responses, with the field that each shows; `undefined` for what a response computes. */
export const productMembers = {
  _id: "id",
  key: "key",
  source: "source",
  itemCode: undefined,
  name: "name",
  brand: "brand",
  storeName: "storeName",
  slug: "slug",
  price: "priceMinor",
  originalPrice: "originalPriceMinor",
  currency: undefined,
  isVerified: "isVerified",
  isBoosted: "isBoosted",
  images: "images",
  url: "url",
  serviceScore: "serviceScore",
  priceHistory: undefined,
  discountVal: "discountVal",
  averageRating: "averageRating",
  category: "category",
  categoryPath: "categoryPaths",
  groupId: "groupId",
  attributes: "attributes",
  tags: "tags",
  gtin: "gtin",
  mpn: "mpn",
  reviewCount: "reviewCount",
  releasedAt: "releasedAtMs",
  rank: "rank",
  custom: "custom",
  availability: "availability",
  description: "description",
  highlights: undefined,
  variantCount: undefined,
  variantPrices: undefined,
  variants: undefined,
} as const satisfies Record<MemberName, FieldName | undefined>;

/** What a row may have beside the members of a product. */
const rowMembers = [
  "id",
  "item_id",
  "deleted",
  "update",
  "position",
  "priceCurrency",
  "ean",
  "upc",
  "barcode",
  "categoryPaths",
  "language",
];

const nativeNames = new Set([...Object.keys(productMembers), ...rowMembers]);

/** Whether a row with the names of responses may have this field. */
export const isRowMember = (name: string): boolean => nativeNames.has(name);

type MembersOf<Product> = Product extends unknown ? keyof Product : never;
export type MemberName = Exclude<MembersOf<AnyProduct>, symbol>;

const memberNames = new Map<FieldName, string>(
  Object.entries(productMembers).flatMap(([member, field]) =>
    field === undefined ? [] : [[field, member] as const],
  ),
);

/** The name of a field in rows, responses and exports. */
export const memberOf = (field: FieldName): string => memberNames.get(field) ?? field;

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Snake<Rest>}`
    : `_${Lowercase<First>}${Snake<Rest>}`
  : "";
/** The name of a field's column in the stores: `storeName` is `store_name`, `createdAtMs` is `created_at`. */
export type ColumnOf<Field extends string> = Snake<Field extends `${infer Name}Ms` ? Name : Field>;

/** As the type above. */
export function columnOf(field: FieldName): string {
  return field.replace(/Ms$/, "").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
