import { fieldNames, ruleOf } from "@product-search/core/domain/fields.ts";
import { fold } from "@product-search/core/domain/name-list.ts";
import { type ColumnMap, columnsOfMap, type SavedColumnMap } from "@product-search/core/ports/imports.ts";
import { nativeNames } from "../rows/native-row.ts";
import { createWooCommerceSigns, isWooCommerceType } from "../shops/woocommerce.ts";
import { FeedError, type FeedRow, type TableLayout, type TableReader } from "./feed-row.ts";
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

/**
 * What a table must have: the words by which the column may be called in English, German, French, Spanish and Italian, and, for
 * other names, what its values look like.
 */
const requiredFields: readonly {
  field: string;
  words: readonly string[];
  isLikely: (value: string) => boolean;
  /** What at least one of the values must have too. */
  needsOnce?: RegExp;
}[] = [
  {
    field: "id",
    words: ["id", "sku", "code", "number", "article", "artikel", "nr", "ref", "reference", "item", "key"],
    isLikely: (value) => /^[\p{L}\p{N}._/-]{1,40}$/u.test(value) && /\d/.test(value),
  },
  {
    field: "title",
    words: ["title", "name", "titel", "titre", "titulo", "nom", "nombre", "nome", "label", "bezeichnung"],
    isLikely: (value) => /\p{L}{3}/u.test(value) && value.length <= 150 && !/^https?:/i.test(value),
  },
  {
    field: "price",
    words: [
      "price",
      "preis",
      "prix",
      "precio",
      "prezzo",
      "prijs",
      "pris",
      "preco",
      "cena",
      "hinta",
      "amount",
      "cost",
      "rrp",
      "msrp",
      "mrp",
      "uvp",
      "pvp",
    ],
    isLikely: (value) => /^\D{0,4}\d[\d.,' ]*([.,]\d\d)?\D{0,4}$/.test(value),
    // Weights, sizes and factors have decimals too.
    needsOnce: /^(\p{Sc}|[A-Z]{3}) ?\d|\d ?(\p{Sc}|[A-Z]{3}|zł|kr\.?)$/u,
  },
  {
    field: "link",
    words: ["link", "url", "href", "page", "website", "permalink", "adresse", "enlace", "lien"],
    isLikely: (value) => /^https?:/i.test(value) && !/\.(jpe?g|png|webp|avif|gif|svg)(\?|$)/i.test(value),
  },
];

/** A column with one of these is about something else. */
const otherWords: readonly string[] = [
  ...["image", "images", "img", "photo", "picture", "bild"],
  ...["brand", "marke", "category", "kategorie", "store", "vendor", "seller"],
  ...["shipping", "group", "parent", "date"],
];

/**
 * Lists the columns of a table that cannot be read, and guesses which of them each required field has. Undefined if it has all
 * of them.
 */
export function explainColumns(
  { columns, names }: Pick<TableLayout, "columns" | "names">,
  firstRows: readonly (readonly string[])[] = [],
): string | undefined {
  const missing = requiredFields.filter(
    ({ field }) => !names.includes(field) && !(field === "title" && names.includes("name")),
  );
  if (missing.length === 0) return undefined;
  const candidates = columns
    .map((column, at) => ({ column, at, values: firstRows.flatMap((row) => row[at]?.trim() || []) }))
    .filter(({ column, at }) => !isOther(column) && !requiredFields.some(({ field }) => field === names[at]))
    .flatMap(({ column, values }) =>
      missing.map(({ field, words, isLikely, needsOnce = /^/ }) => {
        const ofName = scoreOf(column, words);
        const isOfValues =
          ofName === 0 && values.every(isLikely) && values.some((value) => needsOnce.test(value));
        return { column, field, score: isOfValues ? 0.5 : ofName };
      }),
    )
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score);
  const guesses = new Map<string, string>();
  for (const { column, field } of candidates)
    if (!guesses.has(field) && ![...guesses.values()].includes(column)) guesses.set(field, column);
  const fields = missing.map(({ field }) => field);
  const parts = fields.flatMap((field) => {
    const column = guesses.get(field);
    return column === undefined ? [] : [`${field}=${quoted(column)}`];
  });
  const unknown = fields.filter((field) => !guesses.has(field));
  const question = parts.length > 0 ? ` Did you mean --map ${parts.join(",")}?` : "";
  const rest = unknown.length > 0 ? ` No column looks like ${unknown.join(" or ")}.` : "";
  const link = fields.includes("link")
    ? " With --map, link may be left out: products then have their pages here."
    : "";
  return `No column is called ${fields.join(", ")}. ${listColumns(columns)}${question}${rest}${link}`;
}

function listColumns(columns: readonly string[]): string {
  const shown = columns.slice(0, 60).map((column) => quoted(column.trim().slice(0, 60)));
  const more = columns.length > shown.length ? ` and ${columns.length - shown.length} more` : "";
  return `Columns: ${shown.join(", ")}${more}.`;
}

function quoted(column: string): string {
  return /^[\p{L}\p{N}_.-]+$/u.test(column) ? column : `"${column}"`;
}

function isOther(column: string): boolean {
  return wordsOf(column).some((word) => otherWords.includes(word));
}

/** How well a column fits a field: its words, whole or with a typing error, less what the others may say. */
function scoreOf(column: string, words: readonly string[]): number {
  const tokens = wordsOf(column);
  const best = Math.max(0, ...tokens.flatMap((token) => words.map((word) => likeness(token, word))));
  return best < 0.7 ? 0 : best - 0.05 * (tokens.length - 1);
}

/** The columns whose names are most like this one, best first. */
function closestColumns(column: string, columns: readonly string[]): string[] {
  const name = wordsOf(column).join(" ");
  return columns
    .map((one) => ({ one, score: likeness(wordsOf(one).join(" "), name) }))
    .filter(({ score }) => score >= 0.5)
    .toSorted((one, other) => other.score - one.score)
    .map(({ one }) => one);
}

function wordsOf(column: string): string[] {
  return fold(column.replace(/([a-z])([A-Z])/g, "$1 $2"))
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/** 1 for equal texts; less for a part of a compound, and for each letter that differs. */
function likeness(one: string, other: string): number {
  if (one === other) return 1;
  if (other.length >= 4 && one.includes(other)) return 0.8;
  const longest = Math.max(one.length, other.length);
  return longest < 4 ? 0 : 1 - editDistance(one.slice(0, 60), other.slice(0, 60)) / longest;
}

function editDistance(one: string, other: string): number {
  let former = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const replaced = (former[at - 1] ?? 0) + (one[row - 1] === other[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (former[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    former = next;
  }
  return former[other.length] ?? 0;
}
