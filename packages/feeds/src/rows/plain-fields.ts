import { parseLanguage } from "@product-search/core/domain/feed-values.ts";
import {
  type FieldKind,
  type FieldRule,
  type FieldValues,
  type KindOf,
  productFields,
  type RowField,
  rowFields,
  ruleOf,
  type ValueOf,
} from "@product-search/core/domain/fields.ts";
import { maxCustomBytes } from "@product-search/core/domain/next-product.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import { checkKey, checkLabel, RowError, shorten } from "./row-checks.ts";

/** The kinds that are read by their rule alone, wherever they are. */
type PlainKind = "label" | "code" | "language" | "number" | "count" | "flag" | "time" | "labels" | "json";

const maxLabels = 50;

/** How a value is read; `undefined` if it says nothing. The values of tables and XML are texts. */
const readers: {
  [Kind in PlainKind]: (name: string, value: unknown, rule: FieldRule) => FieldValues[Kind] | undefined;
} = {
  label: (name, value) => checkLabel(textOf(name, value)),
  code: (name, value) =>
    textOf(name, value).trim() === "" ? undefined : checkKey(name, textOf(name, value)),
  // A value that is no language is ignored: the language is then detected.
  language: (name, value) => parseLanguage(textOf(name, value)),
  number: readNumber,
  count: (name, value, rule) => {
    const count = readNumber(name, value, rule);
    if (!(Number.isInteger(count) && count >= 0 && count <= 1e9))
      throw new RowError(name, "is not a whole number of 0 or more");
    return count;
  },
  flag: (name, value) => {
    if (typeof value === "boolean") return value;
    throw new RowError(name, "is not true or false");
  },
  time: readTime,
  labels: (name, value) => {
    const labels = typeof value === "string" ? listIn(name, value) : value;
    if (!Array.isArray(labels)) throw new RowError(name, "is not a list of texts");
    const kept = labels.flatMap((label: unknown) => checkLabel(textOf(name, label)) ?? []);
    return [...new Set(kept)].slice(0, maxLabels);
  },
  json: (name, value) => {
    const text = JSON.stringify(objectOf(name, typeof value === "string" ? parsed(name, value) : value));
    if (Buffer.byteLength(text) > maxCustomBytes)
      throw new RowError(name, `is longer than ${maxCustomBytes} bytes as JSON`);
    return text;
  },
};

/** What has defaults and rules of its own. */
const ownRules: readonly RowField[] = ["storeName", "category"];
type PlainField = Exclude<
  { [Field in RowField]: KindOf<Field> extends PlainKind ? Field : never }[RowField],
  "storeName" | "category"
>;

const isPlainKind = (kind: FieldKind): kind is PlainKind => Object.hasOwn(readers, kind);
const isPlain = (field: RowField): field is PlainField =>
  isPlainKind(ruleOf(field).kind) && !ownRules.includes(field);
export const plainFields = rowFields.filter(isPlain);

/** The plain fields that a row gives. `valueOf` has the name of a field in the row, and its value there. */
export function readPlainFields(
  valueIn: (field: PlainField) => { name: string; value: unknown } | undefined,
): Partial<Pick<ProductInput, PlainField>> {
  const fields: Partial<Pick<ProductInput, PlainField>> = {};
  for (const field of plainFields) {
    const given = valueIn(field);
    if (given !== undefined && given.value !== null && given.value !== undefined)
      setField(fields, field, given.name, given.value);
  }
  return fields;
}

function setField<Field extends PlainField>(
  fields: { [Name in Field]?: ValueOf<Name> },
  field: Field,
  name: string,
  value: unknown,
): void {
  const rule: FieldRule & { kind: KindOf<Field> } = productFields[field];
  const read = readers[rule.kind](name, value, rule);
  if (read !== undefined) fields[field] = read;
}

/** JSON may also have a code as a number. */
function textOf(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw new RowError(name, "is not a string");
}

function readNumber(name: string, value: unknown, { min, max }: FieldRule): number {
  const number = typeof value === "string" ? textNumber(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) throw new RowError(name, "is not a number");
  if (number < (min ?? number) || number > (max ?? number))
    throw new RowError(name, `is not between ${min} and ${max}`);
  return number;
}

function textNumber(text: string): number {
  return text.trim() === "" ? Number.NaN : Number(text.trim().replace(",", "."));
}

/** ISO 8601; shops also write a space in place of the T, and before the time zone. */
function readTime(name: string, value: unknown): number {
  const text = textOf(name, value).trim();
  const [, day = "", time = "", zone = ""] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|[+-]\d\d:?\d\d)?)?$/.exec(text) ?? [];
  const atMs = Date.parse(
    time === "" ? day : `${day}T${time}${zone === "" ? "Z" : zone.replace(/^(...):?(..)$/, "$1:$2")}`,
  );
  // JavaScript reads February 31 as March 3.
  if (Number.isNaN(atMs) || !new Date(day).toISOString().startsWith(day))
    throw new RowError(name, `"${shorten(text)}" is not a date such as 2026-05-01 or 2026-05-01T10:00:00Z`);
  return atMs;
}

/** Of a table: as in JSON, or separated by commas. */
function listIn(name: string, text: string): unknown {
  return text.trimStart().startsWith("[") ? parsed(name, text) : text.split(",");
}

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RowError(name, "is not JSON");
  }
}

function objectOf(name: string, value: unknown): object {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new RowError(name, "is not an object");
}
