import { fold } from "@product-search/core/domain/name-list.ts";
import type { TableLayout } from "./feed-row.ts";

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

export function listColumns(columns: readonly string[]): string {
  const shown = columns.slice(0, 60).map((column) => quoted(column.trim().slice(0, 60)));
  const more = columns.length > shown.length ? ` and ${columns.length - shown.length} more` : "";
  return `Columns: ${shown.join(", ")}${more}.`;
}

export function quoted(column: string): string {
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
export function closestColumns(column: string, columns: readonly string[]): string[] {
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
