import { productId } from "@product-search/core/domain/identity.ts";
import { createUnfetchableCheck } from "@product-search/core/domain/networks.ts";
import { customTooLong } from "@product-search/core/domain/next-product.ts";
import type { FeedChange, ProductSource } from "@product-search/core/domain/product.ts";
import { ApiError } from "@product-search/core/errors.ts";
import { letOthersCome } from "@product-search/core/mechanisms/fair-queue.ts";
import type { StoreCurrency } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { isShort } from "@product-search/core/ports/idempotency-store.ts";
import type { WrittenProducts } from "@product-search/core/ports/imports.ts";
import { isDiskFull } from "@product-search/core/ports/imports.ts";
import { maxRowLength, type NativeRecord } from "@product-search/feeds/formats/feed-row.ts";
import {
  keyNames,
  keyOfNativeRow,
  kindOfNativeRow,
  readNativeRow,
} from "@product-search/feeds/rows/native-row.ts";
import { type ReadRow, type RowContext, readableKey } from "@product-search/feeds/rows/row-checks.ts";
import type { RejectedRow, UpsertProductsRequest, UpsertProductsResponse } from "@product-search/types";
import { applyInBatches } from "../apply-in-batches.ts";
import { applyChanges, type CatalogWrites } from "../import/apply-run.ts";
import { noteNames } from "../import/import-summary.ts";
import { findKeys } from "../import/read-rows.ts";
import { recordStoreCurrency } from "../store-currency.ts";

export interface UpsertProductsDeps {
  /** The source of truth. */
  catalogWrites: CatalogWrites;
  writtenProducts: Pick<WrittenProducts, "note">;
  storeCurrency: Pick<StoreCurrency, "record">;
  clock: Clock;
  currency: string;
  /** Private networks from which images are fetched. Default: none. */
  fetchAllowNetworks?: readonly string[] | undefined;
}

/** As in the spec. */
const maxListed = 100;
const maxGroup = 1000;
/** Other requests on the thread wait no longer than this for the checks. */
const maxCheckMs = 5;

/** A row that passed the checks, at its place in the request. */
interface GoodRow {
  index: number;
  change: FeedChange;
}

interface CheckedRows {
  rows: GoodRow[];
  rejected: RejectedRow[];
  ignoredFields: string[];
  unfetchableImages: string[];
  /** Groups to delete, with the place of the row. */
  groups: Map<string, number>;
  /** Groups that the rows name; those of a refused row without a key stay as they are. */
  named: Set<string>;
  /** The keys of all rows, refused ones too. */
  keys: Set<string>;
}

/** Writes rows as a feed does, in short transactions. A row that is refused stops no other. */
export async function upsertProducts(
  deps: UpsertProductsDeps,
  { source = "catalog", products, replaceGroups = false }: UpsertProductsRequest,
): Promise<UpsertProductsResponse> {
  const { catalogWrites, clock, currency } = deps;
  await recordStoreCurrency(deps.storeCurrency, currency);
  const keys = await findKeys(catalogWrites, source, products.filter(isObject));
  const isUnfetchable = createUnfetchableCheck(deps.fetchAllowNetworks);
  const keyOfId = (id: string) => keys.get(id);
  const context = { source, currency, nowMs: clock.now(), keyOfId, isUnfetchable };
  const checked = await checkRows(products, context);
  const removed = await rowsToRemove(deps, source, checked, replaceGroups);
  const rows = [...checked.rows.filter(({ index }) => !removed.refused.has(index)), ...removed.rows];
  // First: a feed that was fetched before must not undo what is written below. Unknown products leave nothing.
  const changes = rows.map(({ change }) => change);
  const ids = changes.map(({ source, key }) => productId(source, key));
  const known = await catalogWrites.rowIdsOf(ids);
  const isWhole = (change: FeedChange | undefined) =>
    change !== undefined && !("patch" in change) && !("removed" in change);
  await deps.writtenProducts.note(ids.filter((id, i) => known.has(id) || isWhole(changes[i])));
  const counts = { created: 0, updated: 0, unchanged: 0, removed: 0, notFound: 0, outdated: 0 };
  const { rejected, ignoredFields, unfetchableImages } = checked;
  const notFoundKeys = [...removed.unknownGroups];
  counts.notFound += notFoundKeys.length;
  const apply = async (batch: readonly GoodRow[]) => {
    const changes = batch.map(({ change }) => change);
    const outcomes = await applyChanges(catalogWrites, changes);
    return outcomes.map((outcome, at) => ({ outcome, row: batch[at] }));
  };
  let applied = 0;
  try {
    for await (const outcomes of applyInBatches(rows, apply, catalogWrites.batchMs)) {
      applied += outcomes.length;
      for (const { outcome, row } of outcomes) {
        if (outcome !== "failed" && outcome !== "refused") counts[outcome] += 1;
        else if (row !== undefined) rejected.push(outcome === "failed" ? failed(row) : overfull(row));
        if (outcome === "notFound" && row !== undefined) notFoundKeys.push(row.change.key);
      }
    }
  } catch (error) {
    throw applied === 0 ? error : brokenOff(error, applied, rows.length);
  }
  return {
    status: "success",
    created: counts.created,
    changed: counts.updated,
    unchanged: counts.unchanged,
    deleted: counts.removed,
    notFound: counts.notFound,
    notFoundKeys: notFoundKeys.slice(0, maxListed),
    rejected: rejected.toSorted((one, other) => one.index - other.index).slice(0, maxListed),
    rejectedCount: rejected.length,
    ignoredFields,
    ...(unfetchableImages.length > 0 && { unfetchableImages }),
  };
}

/** What a repetition of the request gets: of what is listed, as much as has room. The counts are complete. */
export function keptCounts(response: UpsertProductsResponse): UpsertProductsResponse {
  let repeated = response;
  const half = <Item>(list: readonly Item[] = []) => list.slice(0, list.length >> 1);
  while (!isShort(JSON.stringify(repeated))) {
    const { rejected, notFoundKeys, ignoredFields, unfetchableImages } = repeated;
    repeated = {
      ...repeated,
      rejected: half(rejected),
      notFoundKeys: half(notFoundKeys),
      ignoredFields: half(ignoredFields),
      ...(unfetchableImages && { unfetchableImages: half(unfetchableImages) }),
    };
  }
  return repeated;
}

/** Of several rows with the same key, the last valid one is used, as in a feed. */
async function checkRows(products: readonly NativeRecord[], context: RowContext): Promise<CheckedRows> {
  const rowsById = new Map<string, GoodRow>();
  const checked: CheckedRows = {
    rows: [],
    rejected: [],
    ignoredFields: [],
    unfetchableImages: [],
    groups: new Map(),
    named: new Set(),
    keys: new Set(),
  };
  const kept = new Set<string>();
  let startedAt = performance.now();
  for (const [index, row] of products.entries()) {
    const fault = faultOfRow(row);
    const group = fault === undefined ? deletedGroup(row) : undefined;
    if (group !== undefined) checked.groups.set(group, index);
    else {
      const read = fault === undefined ? readNativeRow(row, kindOfNativeRow(row), context) : { fault };
      noteNames(checked.ignoredFields, "ignored" in read ? read.ignored : []);
      if ("change" in read) {
        const { source, key } = read.change;
        noteNames(checked.unfetchableImages, read.unfetchableImages);
        rowsById.set(productId(source, key), { index, change: read.change });
        checked.keys.add(key);
        const group = groupOf(read.change);
        if (group !== undefined) checked.named.add(group);
      } else {
        const rejected = refused(index, row, read, context);
        checked.rejected.push(rejected);
        if (rejected.key !== undefined) checked.keys.add(rejected.key);
        if (rejected.key === undefined || keyNames.some((name) => name === rejected.field))
          for (const group of groupsWritten(row)) kept.add(group);
      }
    }
    if (performance.now() - startedAt < maxCheckMs) continue;
    await letOthersCome();
    startedAt = performance.now();
  }
  return {
    ...checked,
    rows: [...rowsById.values()],
    named: new Set([...checked.named].filter((group) => !kept.has(group))),
  };
}

/** The group that a row deletes, which names no product. */
function deletedGroup(row: NativeRecord): string | undefined {
  const { groupId, deleted } = row;
  const namesProduct = keyNames.some((name) => (row[name] ?? undefined) !== undefined);
  return deleted === true && !namesProduct && typeof groupId === "string" && groupId.trim() !== ""
    ? groupId.trim()
    : undefined;
}

function groupOf(change: FeedChange): string | undefined {
  if ("removed" in change) return undefined;
  return "patch" in change ? change.patch.set?.groupId : change.groupId;
}

/** A refused row may name its group in a form that is not valid. */
function groupsWritten(row: unknown): string[] {
  const { groupId, item_group_id }: Record<string, unknown> = isObject(row) ? row : {};
  return [groupId, item_group_id].flatMap((group) =>
    typeof group === "string" || typeof group === "number" ? String(group).trim() : [],
  );
}

interface Removals {
  rows: GoodRow[];
  /** The places of rows whose group is too large to be replaced. */
  refused: Set<number>;
  unknownGroups: string[];
}

/** The members of groups that are deleted or replaced. What the request itself writes is not among them. */
async function rowsToRemove(
  { catalogWrites }: UpsertProductsDeps,
  source: ProductSource,
  { rows, rejected, groups, named, keys }: CheckedRows,
  replaceGroups: boolean,
): Promise<Removals> {
  const removals: Removals = { rows: [], refused: new Set(), unknownGroups: [] };
  const all = new Set([...groups.keys(), ...(replaceGroups ? named : [])]);
  for (const group of all) {
    const members = await catalogWrites.findGroup(source, group, maxGroup + 1);
    const index = groups.get(group);
    if (members.length > maxGroup) {
      const ofGroup = rows.filter(({ change }) => groupOf(change) === group).map(({ index }) => index);
      for (const at of index === undefined ? ofGroup : [index]) {
        removals.refused.add(at);
        rejected.push({ index: at, field: "groupId", message: tooLarge(group) });
      }
      continue;
    }
    if (index !== undefined && members.length === 0) removals.unknownGroups.push(group);
    for (const { key } of members)
      if (!keys.has(key)) removals.rows.push({ index: index ?? -1, change: { source, key, removed: true } });
  }
  return removals;
}

const tooLarge = (group: string) =>
  `the group "${group.slice(0, 60)}" has over ${maxGroup} products; delete them by their keys`;

function refused(
  index: number,
  row: NativeRecord,
  { fault }: Extract<ReadRow, { fault: unknown }>,
  context: RowContext,
): RejectedRow {
  const { field = "products", reason } = fault;
  const key = isObject(row) ? keyOfNativeRow(row, context) : undefined;
  return { index, ...readableKey(key), field, message: reason };
}

/** What a feed refuses before it reads the fields of a row. */
function faultOfRow(row: unknown): { reason: string } | undefined {
  // A large one is not parsed.
  if (!isObject(row)) return { reason: "is not an object, or one with more than 20000 values" };
  return isTooLong(row) ? { reason: `is longer than ${maxRowLength} characters` } : undefined;
}

function isObject(row: unknown): row is NativeRecord {
  return typeof row === "object" && row !== null && !Array.isArray(row);
}

/** Counts the characters of its JSON, apart from what is escaped, up to the limit. A request may nest values too deep for JSON.stringify. */
function isTooLong(row: unknown): boolean {
  const left = [row];
  let length = 0;
  while (left.length > 0 && length <= maxRowLength) {
    const value = left.pop();
    // Quotes or brackets, and a comma.
    length += typeof value === "string" ? value.length + 3 : 3;
    if (typeof value !== "object" || value === null) continue;
    for (const [name, one] of Object.entries(value)) {
      if (!Array.isArray(value)) length += name.length + 3;
      left.push(one);
    }
  }
  return length > maxRowLength;
}

/** What was written stays written: a client that is told nothing would take the whole request for undone. */
function brokenOff(error: unknown, applied: number, rows: number): unknown {
  const stored = `At least the first ${applied} of ${rows} valid rows are stored. Send the request again later: what is stored counts as unchanged.`;
  if (error instanceof ApiError && error.code === "unavailable")
    return new ApiError("unavailable", `${error.message} ${stored}`, {
      cause: error,
      headers: error.headers,
    });
  if (!isDiskFull(error)) return error;
  return new ApiError("unavailable", `The service has no disk space left. ${stored}`, {
    cause: error,
    retryAfterSeconds: 30,
  });
}

function overfull({ index, change: { key } }: GoodRow): RejectedRow {
  return { index, key, field: "custom", message: customTooLong };
}

function failed({ index, change: { key } }: GoodRow): RejectedRow {
  return {
    index,
    key,
    field: "products",
    message: "could not be stored because of an error of the database",
  };
}
