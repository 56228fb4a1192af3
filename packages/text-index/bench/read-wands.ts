import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface JudgedProduct {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly description: string;
}

export interface JudgedQuery {
  readonly text: string;
  /** Gain of each judged product by its id: 1 exact, 0.5 partial, 0 irrelevant. */
  readonly gains: ReadonlyMap<string, number>;
}

export interface JudgedSet {
  readonly products: readonly JudgedProduct[];
  readonly queries: readonly JudgedQuery[];
}

const gainOf: Readonly<Record<string, number>> = { Exact: 1, Partial: 0.5, Irrelevant: 0 };

/** Reads product.csv, query.csv and label.csv of a folder in the layout of the WANDS data set (tab separated). */
export function readWands(folder: string): JudgedSet {
  const products = readTable(join(folder, "product.csv"), ["product_id", "product_name"]).map((row) => ({
    id: row.product_id ?? "",
    name: row.product_name ?? "",
    category: row.product_class ?? "",
    description: row.product_description ?? "",
  }));
  const gains = new Map<string, Map<string, number>>();
  for (const row of readTable(join(folder, "label.csv"), ["query_id", "product_id", "label"])) {
    const query = row.query_id ?? "";
    const ofQuery = gains.get(query) ?? new Map<string, number>();
    const gain = gainOf[row.label ?? ""];
    if (gain === undefined) {
      throw new Error(
        `label.csv: "${row.label}" is no label; write one of ${Object.keys(gainOf).join(", ")}.`,
      );
    }
    gains.set(query, ofQuery.set(row.product_id ?? "", gain));
  }
  const queries = readTable(join(folder, "query.csv"), ["query_id", "query"]).map((row) => ({
    text: row.query ?? "",
    gains: gains.get(row.query_id ?? "") ?? new Map<string, number>(),
  }));
  return { products, queries };
}

function readTable(path: string, needed: readonly string[]): Array<Record<string, string | undefined>> {
  const [header = [], ...rows] = parseTabSeparated(readFileSync(path, "utf8"));
  for (const column of needed) {
    if (!header.includes(column)) throw new Error(`${path} has no column "${column}": is it tab separated?`);
  }
  return rows.map((row) => Object.fromEntries(header.map((column, i) => [column, row[i]])));
}

/** A field that begins with a quote ends with one. Inside it, two quotes mean one, and tabs and line breaks are text. */
function parseTabSeparated(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r?\n|$)/y;
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const match = field.exec(text);
    if (match === null) throw new Error(`cannot read a field at offset ${at}`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] !== "\t") {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}
