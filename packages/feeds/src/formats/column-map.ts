import { fieldNames, ruleOf } from "@product-search/core/domain/fields.ts";
import { type ColumnMap, columnsOfMap, type SavedColumnMap } from "@product-search/core/ports/imports.ts";
import { nativeNames } from "../rows/native-row.ts";
import { createWooCommerceSigns, isWooCommerceType } from "../shops/woocommerce.ts";
import { closestColumns, explainColumns, listColumns, quoted } from "./explain-columns.ts";
import { FeedError, type FeedRow, type TableReader } from "./feed-row.ts";
import { kindOfHeader, merchantName } from "./merchant-names.ts";

/** Fields that `--map` can fill: those that rows are read for. */
const mappedFields: readonly string[] = [
  ...fieldNames.flatMap((field) => ruleOf(field).google ?? []),
  "deleted",
];

function isMappedField(name: string): boolean {
  return mappedFields.some((field) => field === name);
}

/** Fields that several columns may fill. The levels of a category are joined, of the others each column has values. */
const listFields: readonly string[] = ["product_type", "image_link", "additional_image_link", "tags"];

/** What `--map` fills with its columns, or why it is not understood. */
export function parseMappedFields(
  text: string,
): { fields: Record<string, string | string[]> } | { fault: string } {
  const fields = new Map<string, string[]>();
  let last: [field: string, written: string] | undefined;
  for (const part of partsOf(text)) {
    const [, written, column = unquote(part)] = /^([^="]*)=(.*)$/s.exec(part) ?? [];
    const name = merchantName((written ?? "").replace(/([a-z])([A-Z])/g, "$1_$2"));
    const field = nativeNames.get(name) ?? name;
    if (unquote(column) === "" || (written === undefined && last === undefined))
      return { fault: `"${unquote(part)}" is not a field, "=" and a column, as in title=Name.` };
    if (written === undefined && last !== undefined) {
      const [former, formerWritten] = last;
      if (!listFields.includes(former))
        return {
          fault: `"${unquote(part)}" is a second column of "${formerWritten}", which has one. A name with a comma is in quotes.`,
        };
      fields.get(former)?.push(unquote(part));
      continue;
    }
    if (!isMappedField(field))
      return { fault: `"${written?.trim()}" is not a field. Fields: ${mappedFields.join(", ")}.` };
    if (fields.has(field)) return { fault: `"${written?.trim()}" is given twice.` };
    fields.set(field, [unquote(column)]);
    last = [field, written?.trim() ?? ""];
  }
  const single = ([one = "", ...others]: string[]) => (others.length === 0 ? one : [one, ...others]);
  return { fields: Object.fromEntries([...fields].map(([field, columns]) => [field, single(columns)])) };
}

/** Names separated by commas; one with a comma is in quotes, or has `\,`. */
export function splitList(text: string): string[] {
  return partsOf(text)
    .map(unquote)
    .filter((part) => part !== "");
}

function partsOf(text: string): string[] {
  const parts = text.match(/(?:"[^"]*"|\\,|[^,])+/g) ?? [];
  return parts.filter((part) => part.trim() !== "");
}

function unquote(part: string): string {
  return part.replaceAll("\\,", ",").replaceAll('"', "").trim();
}

/** Whether the table has all columns of the map. */
export function fitsColumns(map: ColumnMap, columns: readonly string[]): boolean {
  return columnsOfMap(map).every((column) => positionOf(column, columns) >= 0);
}

/** The position of a column; throws a `FeedError` that names the one most like it if the table has none with this name. */
function requiredPosition(column: string, columns: readonly string[]): number {
  const at = positionOf(column, columns);
  if (at >= 0) return at;
  const [guess] = closestColumns(column, columns);
  const question = guess === undefined ? "." : `: did you mean ${quoted(guess)}?`;
  throw new FeedError(`The table has no column ${quoted(column)}${question} ${listColumns(columns)}`);
}

/** Columns for attributes as the table writes them. */
export function attributeColumnsOf(attributes: readonly string[], columns: readonly string[]): string[] {
  return attributes.map((column) => columns[requiredPosition(column, columns)] ?? column);
}

/** The column with this name; if there is none, the one whose name differs only in case, spaces or hyphens. */
function positionOf(column: string, columns: readonly string[]): number {
  const exact = columns.findIndex((one) => one.trim() === column.trim());
  return exact >= 0 ? exact : columns.findIndex((one) => merchantName(one) === merchantName(column));
}

/**
 * Reads a table with a map. Columns that the map does not name are read if they have the names of fields and the map does not fill
 * their field. Throws a `FeedError` if the table lacks a column.
 */
export function createMappedReader(
  map: SavedColumnMap,
  columns: readonly string[],
  names: readonly string[],
): TableReader {
  const position = (column: string) => requiredPosition(column, columns);
  const fields = new Map(
    Object.entries(map.fields).map(([field, column]) => [field, [column].flat().map(position)]),
  );
  const attributes = map.attributes.map(position);
  const isMapped = new Set([...fields.values()].flat().concat(attributes));
  for (const [at, written] of names.entries()) {
    const name = nativeNames.get(written) ?? written;
    if (isMapped.has(at) || Object.hasOwn(map.fields, name) || !isMappedField(name)) continue;
    fields.set(name, [...(fields.get(name) ?? []), at]);
  }
  const fieldAt = (at: number) => [...fields].find(([, positions]) => positions.includes(at))?.[0] ?? "";
  if (kindOfHeader([...fields.keys()]) === undefined)
    throw new FeedError(
      `The table cannot be read with this map. ${explainColumns({ columns, names: columns.map((_, at) => fieldAt(at)) })}`,
    );
  const written = new Map([...fields].map(([field, [at = 0]]) => [field, columns[at] ?? field]));
  const noAddress = fields.has("link") ? undefined : {};
  const levels = Array.isArray(map.fields.product_type) ? (fields.get("product_type") ?? []) : [];
  const separator = ` ${map.categorySeparator ?? ">"} `;
  const signs = createWooCommerceSigns(names, (at) => isMapped.has(at));
  const readPositions = new Set([...fields.values()].flat().concat(attributes));
  return {
    push(line, values): FeedRow[] {
      const given = (positions: readonly number[]) => positions.flatMap((at) => values[at]?.trim() || []);
      const own: Record<string, unknown> = {};
      for (const [field, positions] of fields) {
        const texts = given(positions).flatMap(readers[field] ?? ((text) => [text]));
        if (texts.length > 0) own[field] = texts.length === 1 ? texts[0] : texts;
      }
      if (levels.length > 0)
        own.product_type = given(levels)
          .filter((name, at, all) => name !== all[at - 1])
          .join(separator);
      else if (!Object.hasOwn(map.fields, "product_type") && isWooCommerceType(own.product_type))
        delete own.product_type;
      const sign = signs.of(values);
      // Its members are products with rows of their own.
      if (sign === "group" || (sign === "parent" && own.price === undefined)) return [];
      if (sign === "hidden")
        return [
          {
            line,
            own: { id: own.id, deleted: true },
            table: { columns: written, isUnpublished: true, ...(noAddress && { noAddress }) },
          },
        ];
      own.attributes = Object.fromEntries(
        attributes.map((at) => [columns[at] ?? "", given([at]).flatMap(listIn)]),
      );
      if (fields.has("title") && own.title === undefined && own.deleted === undefined)
        return [
          { line, fault: { field: written.get("title") ?? "title", reason: "is missing" }, record: { own } },
        ];
      return [{ line, own, table: { columns: written, ...(noAddress && { noAddress }) } }];
    },
    end: () => [],
    reads: (at) => readPositions.has(at) || signs.reads(at),
    keyOf: (values) => fields.get("id")?.flatMap((at) => values[at]?.trim() || [])[0],
  };
}

/** Some fields are written in several ways. */
const readers: Record<string, ((value: string) => string[]) | undefined> = {
  image_link: addressesIn,
  additional_image_link: addressesIn,
  product_type: listIn,
  tags: (value) => (value.startsWith("[") ? listIn(value) : value.split(",")),
  availability: (value) => [
    /^-?\d+([.,]\d+)?$/.test(value) ? (Number.parseFloat(value) > 0 ? "in_stock" : "out_of_stock") : value,
  ],
};

/** A list as in JSON, or one value. */
function listIn(value: string): string[] {
  if (!value.startsWith("[")) return [value];
  try {
    const list: unknown = JSON.parse(value);
    if (!Array.isArray(list)) return [value];
    return list.flatMap((one) => (["string", "number", "boolean"].includes(typeof one) ? [String(one)] : []));
  } catch {
    return [value];
  }
}

function addressesIn(value: string): string[] {
  return listIn(value).flatMap((one) => one.split(/(?<![\s,;|])[\s,;|]+(?=https?:\/\/)/i));
}
