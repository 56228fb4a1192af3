import type { ProductSource } from "../domain/product.ts";

/** How a table is read whose columns have other names than Google's. */
export interface ColumnMap {
  /** The column of each field, as written in the table; a list of some has several. */
  fields: Readonly<Record<string, string | readonly string[]>>;
  /** Columns that become attributes of the same name. */
  attributes: readonly string[];
}

/** A map with the other settings that it was given with. */
export interface SavedColumnMap extends ColumnMap {
  /** The address of the shop, for tables without addresses of product pages. */
  site?: string;
  storeName?: string;
  categorySeparator?: string;
}

/** All columns of a map, sorted. Tables with the same ones are read alike. */
export function columnsOfMap({ fields, attributes }: ColumnMap): string[] {
  return [...new Set([...Object.values(fields).flat(), ...attributes])].toSorted();
}

/** The maps that tables of a source were read with, for the next import of a table with the same columns. */
export interface ColumnMapStore {
  /** The one that was saved last comes first. */
  list(source: ProductSource): Promise<SavedColumnMap[]>;
  /** Replaces one with the same columns. Only the newest 20 of a source are kept. */
  save(source: ProductSource, map: SavedColumnMap): Promise<void>;
  clear(source: ProductSource): Promise<void>;
}
