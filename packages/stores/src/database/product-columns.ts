import {
  type ColumnOf,
  columnOf,
  type FieldKind,
  type FieldName,
  fieldNames,
  type OptionalField,
  ruleOf,
  type ValueOf,
} from "@product-search/core/domain/fields.ts";
import type { Generated, Selectable } from "kysely";

/** Flags are 0 or 1, and what is no number is text: lists and objects as JSON. */
type Stored<Value> = Value extends number | boolean ? number : string;

/** A column for each field of a product. */
export type ProductsTable = {
  [Field in Exclude<FieldName, OptionalField | "rowId"> as ColumnOf<Field>]: Stored<ValueOf<Field>>;
} & {
  [Field in Exclude<OptionalField, "popularity"> as ColumnOf<Field>]: Stored<ValueOf<Field>> | null;
} & {
  row_id: Generated<number>;
  /** 0 without any: an update of many products must not move their rows. */
  popularity: Generated<number>;
};

export type ProductRow = Selectable<ProductsTable>;

/** How a kind is stored. */
const storedAs: Readonly<Record<FieldKind, "text" | "real" | "integer" | "bigint" | "json">> = {
  source: "text",
  availability: "text",
  text: "text",
  label: "text",
  code: "text",
  gtin: "text",
  language: "text",
  address: "text",
  json: "text",
  money: "bigint",
  number: "real",
  count: "integer",
  time: "bigint",
  flag: "integer",
  addresses: "json",
  labels: "json",
  paths: "json",
  attributes: "json",
};

/** The fields that imports write, in the order of the statements' parameters. */
export const writtenFields = fieldNames.filter((field) => field !== "rowId" && field !== "popularity");
export const productColumns: readonly string[] = writtenFields.map(columnOf);

/** Not part of updates: an indexed column in an update makes the database rewrite its index entries. */
const fixedFields: readonly FieldName[] = ["source", "key", "id", "slug", "createdAtMs"];
export const changingColumns: readonly string[] = writtenFields
  .filter((field) => !fixedFields.includes(field))
  .map(columnOf);

/** Those that copies of the catalog have. */
export const copiedColumns: readonly string[] = [...productColumns, "popularity"];

/** The columns for `create table`. */
export function productColumnDefinitions(types: { text: string; real: string }): string {
  const definitions = writtenFields.map((field) => {
    const { kind, optional } = ruleOf(field);
    const stored = storedAs[kind];
    const type =
      stored === "real" ? types.real : stored === "text" || stored === "json" ? types.text : stored;
    return `${columnOf(field)} ${type}${optional ? "" : " not null"}`;
  });
  return definitions.join(",\n  ");
}
