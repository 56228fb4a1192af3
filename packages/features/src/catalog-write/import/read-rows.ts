import type { ProductSource } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { SavedColumnMap } from "@product-search/core/ports/imports.ts";
import { explainColumns } from "@product-search/feeds/formats/column-map.ts";
import {
  type FaultyRecord,
  FeedError,
  type FeedKind,
  type FeedRow,
  type NativeRecord,
  type TableLayout,
} from "@product-search/feeds/formats/feed-row.ts";
import { isInventoryField } from "@product-search/feeds/formats/merchant-names.ts";
import { readFeed } from "@product-search/feeds/formats/read-feed.ts";
import { kindOfMerchantRow, readMerchantRow } from "@product-search/feeds/rows/merchant-row.ts";
import { keyOfNativeRow, kindOfNativeRow, readNativeRow } from "@product-search/feeds/rows/native-row.ts";
import { type ReadRow, type RowContext, readableKey } from "@product-search/feeds/rows/row-checks.ts";

export interface ReadRowsOptions extends RowContext {
  /** Where an `_id` is looked up. */
  catalogStore: Pick<CatalogStore, "findByIds">;
  /** The name of the encoding; without it, the encoding is detected. */
  encoding?: string;
  /** The maps for tables with other columns; a required one must fit. */
  maps?: readonly SavedColumnMap[];
  isMapRequired?: boolean;
  /** What the feed says of all its rows; settings that were saved or given come first. */
  defaults?: Pick<RowContext, "site" | "storeName">;
}

export interface RowsObserver {
  onEncoding(name: string): void;
  /** With the map that is used, if the feed is a table that one fits. */
  onTable(layout: TableLayout, map: SavedColumnMap | undefined): void;
}

/** A row with the change that it makes, or why it is refused. */
export type ReadFeedRow = { line: number; kind: FeedKind; isUnpublished: boolean } & ReadRow;

/** Reads the rows of a feed of any format, in groups. Throws if it is not a feed, ends early, or has no valid row. */
export async function* readRows(
  chunks: AsyncIterable<Uint8Array>,
  { encoding, maps = [], isMapRequired = false, catalogStore, defaults, ...given }: ReadRowsOptions,
  { onEncoding, onTable }: RowsObserver,
): AsyncGenerator<ReadFeedRow[]> {
  let context: RowContext = { ...defaults, ...given };
  let table: TableLayout | undefined;
  const options = {
    ...(encoding !== undefined && { encoding }),
    onEncoding,
    maps,
    isMapRequired,
    onTable(layout: TableLayout) {
      table = layout;
      const map = layout.mapNumber === undefined ? undefined : maps[layout.mapNumber];
      context = { ...defaults, ...savedSettings(map), ...given };
      onTable(layout, map);
    },
  };
  /** Once a feed has had a whole product, a row without a name is one that lacks its name, and is refused. */
  let kind: FeedKind = "inventory";
  let rows = 0;
  let valid = 0;
  for await (const group of readFeed(chunks, options)) {
    const records = group.flatMap((row) => ("own" in row && row.table === undefined ? [row.own] : []));
    const keys = await findKeys(catalogStore, given.source, records);
    const rules = { ...context, keyOfId: (id: string) => keys.get(id) };
    yield group.map((row): ReadFeedRow => {
      rows += 1;
      if (!("fault" in row) && kindOf(row) === "products") kind = "products";
      const read =
        "fault" in row
          ? { fault: row.fault, ...keyOf(row.record, context) }
          : refuseUnknown(row, kind, readAs(row, kind, rules));
      if ("change" in read) valid += 1;
      const isUnpublished = "own" in row && row.table?.isUnpublished === true;
      return { line: row.line, kind, isUnpublished, ...read };
    });
  }
  if (rows === 0) throw new FeedError("The feed contains no products.");
  if (valid > 0) return;
  const remedy = table === undefined || table.mapNumber !== undefined ? undefined : explainColumns(table);
  throw new FeedError(`All rows of the feed are invalid.${remedy === undefined ? "" : ` ${remedy}`}`);
}

/** The keys of the stored products whose `_id` the rows have. In a marketplace, an `_id` shows the key itself. */
export async function findKeys(
  catalogStore: Pick<CatalogStore, "findByIds">,
  source: ProductSource,
  records: readonly NativeRecord[],
): Promise<ReadonlyMap<string, string>> {
  const ids = records.flatMap(({ _id }) =>
    typeof _id === "string" && /^[0-9a-f]{24}$/.test(_id) ? _id : [],
  );
  if (source !== "catalog" || ids.length === 0) return new Map();
  const products = await catalogStore.findByIds(ids);
  return new Map(products.map(({ id, key }) => [id, key]));
}

function savedSettings(map: SavedColumnMap | undefined): Partial<RowContext> {
  const { site, storeName, categorySeparator } = map ?? {};
  return {
    ...(site !== undefined && { site }),
    ...(storeName !== undefined && { storeName }),
    ...(categorySeparator !== undefined && { categorySeparator }),
  };
}

/** So that an invalid row counts as listed, and can be found in the shop's own system. */
function keyOf(record: FaultyRecord | undefined, context: RowContext): { key?: string } {
  if (record === undefined) return {};
  const written = "own" in record ? keyOfNativeRow(record.own, context) : record.merchant.get("id")?.[0];
  return readableKey(written);
}

type GoodRow = Exclude<FeedRow, { fault: unknown }>;

/** A table is recognised by its header, other formats by the fields of the row. */
function kindOf(row: GoodRow): FeedKind {
  if ("own" in row) return kindOfNativeRow(row.own);
  return row.kind ?? kindOfMerchantRow(row.merchant);
}

/** A row of prices with an unknown field may be a whole product whose names are not recognised: its price may be another one. */
function refuseUnknown(row: GoodRow, kind: FeedKind, read: ReadRow): ReadRow {
  const field = read.ignored?.find((name) => !isInventoryField(name));
  const isUpdate = "own" in row && row.own.update === true;
  if (
    kind === "products" ||
    field === undefined ||
    isUpdate ||
    !("change" in read) ||
    !("patch" in read.change)
  )
    return read;
  const reason = `"${field.slice(0, 60)}" is unknown: a row of prices and stock has no other fields, and a whole product has a name and an address`;
  return { fault: { field: field.slice(0, 60), reason }, key: read.change.key };
}

function readAs(row: GoodRow, kind: FeedKind, context: RowContext): ReadRow {
  if ("own" in row && row.table !== undefined) {
    const { noAddress, columns } = row.table;
    const read = readNativeRow(row.own, kind, { ...context, isTable: true, ...(noAddress && { noAddress }) });
    if (!("fault" in read) || read.fault.field === undefined) return read;
    const { field } = read.fault;
    return { ...read, fault: { ...read.fault, field: columns.get(field) ?? field } };
  }
  if ("own" in row) return readNativeRow(row.own, kind, context);
  const storeName = context.storeName ?? row.storeName;
  return readMerchantRow(row.merchant, kind, storeName === undefined ? context : { ...context, storeName });
}
