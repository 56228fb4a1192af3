import { setImmediate } from "node:timers/promises";
import { productId } from "@product-search/core/domain/identity.ts";
import type { FeedChange } from "@product-search/core/domain/product.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { isDiskFull } from "@product-search/core/ports/disk-space.ts";
import type { StoreCurrency } from "@product-search/core/ports/store-currency.ts";
import type { WrittenProducts } from "@product-search/core/ports/written-products.ts";
import { maxRowLength, type NativeRecord } from "@product-search/feeds/formats/feed-row.ts";
import { keyOfNativeRow, kindOfNativeRow, readNativeRow } from "@product-search/feeds/rows/native-row.ts";
import { type ReadRow, type RowContext, readableKey } from "@product-search/feeds/rows/row-checks.ts";
import type { RejectedRow, UpsertProductsRequest, UpsertProductsResponse } from "@product-search/types";
import { applyPaced } from "../apply-paced.ts";
import { applyChanges, type CatalogWrites } from "../import/apply-run.ts";
import { recordStoreCurrency } from "../store-currency.ts";

export interface UpsertProductsDeps {
  /** The source of truth. */
  catalogWrites: CatalogWrites;
  writtenProducts: Pick<WrittenProducts, "note">;
  storeCurrency: Pick<StoreCurrency, "record">;
  clock: Clock;
  currency: string;
}

/** As in the spec. */
const maxListed = 100;
/** Other requests on the thread wait no longer than this for the checks. */
const maxCheckMs = 5;

/** A row that passed the checks, at its place in the request. */
interface GoodRow {
  index: number;
  change: FeedChange;
}

/** Writes rows as a feed does, in short transactions. A row that is refused stops no other. */
export async function upsertProducts(
  deps: UpsertProductsDeps,
  { source = "catalog", products }: UpsertProductsRequest,
): Promise<UpsertProductsResponse> {
  const { catalogWrites, clock, currency } = deps;
  await recordStoreCurrency(deps.storeCurrency, currency);
  const { rows, rejected } = await checkRows(products, { source, currency, nowMs: clock.now() });
  // First: a feed that was fetched before must not undo what is written below. Unknown products leave nothing.
  const changes = rows.map(({ change }) => change);
  const ids = changes.map(({ source, key }) => productId(source, key));
  const known = await catalogWrites.rowIdsOf(ids);
  const isWhole = (change: FeedChange | undefined) =>
    change !== undefined && !("patch" in change) && !("removed" in change);
  await deps.writtenProducts.note(ids.filter((id, i) => known.has(id) || isWhole(changes[i])));
  const counts = { created: 0, updated: 0, unchanged: 0, removed: 0, notFound: 0, outdated: 0 };
  const apply = async (batch: readonly GoodRow[]) => {
    const changes = batch.map(({ change }) => change);
    const outcomes = await applyChanges(catalogWrites, changes);
    return outcomes.map((outcome, at) => ({ outcome, row: batch[at] }));
  };
  let applied = 0;
  try {
    for await (const outcomes of applyPaced(rows, apply, catalogWrites.pace)) {
      applied += outcomes.length;
      for (const { outcome, row } of outcomes) {
        if (outcome !== "failed") counts[outcome] += 1;
        else if (row !== undefined) rejected.push(failed(row));
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
    rejected: rejected.toSorted((one, other) => one.index - other.index).slice(0, maxListed),
    rejectedCount: rejected.length,
  };
}

/** In UTF-8, so that refused rows do not fill the store. */
const maxRepeatedBytes = 2048;

/** What a repetition of the request gets: of what is listed, as much as has room. The counts are complete. */
export function repeatedResponse(response: UpsertProductsResponse): UpsertProductsResponse {
  let repeated = response;
  while (Buffer.byteLength(JSON.stringify(repeated)) > maxRepeatedBytes && repeated.rejected.length > 0)
    repeated = { ...repeated, rejected: repeated.rejected.slice(0, repeated.rejected.length >> 1) };
  return repeated;
}

/** Of several rows with the same key, the last valid one is used, as in a feed. */
async function checkRows(
  products: readonly NativeRecord[],
  context: RowContext,
): Promise<{ rows: GoodRow[]; rejected: RejectedRow[] }> {
  const rowsById = new Map<string, GoodRow>();
  const rejected: RejectedRow[] = [];
  let startedAt = performance.now();
  for (const [index, row] of products.entries()) {
    const fault = faultOfRow(row);
    const read = fault === undefined ? readNativeRow(row, kindOfNativeRow(row), context) : { fault };
    if ("change" in read) {
      const { source, key } = read.change;
      rowsById.set(productId(source, key), { index, change: read.change });
    } else rejected.push(refused(index, row, read, context));
    if (performance.now() - startedAt < maxCheckMs) continue;
    await setImmediate();
    startedAt = performance.now();
  }
  return { rows: [...rowsById.values()], rejected };
}

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
  if (!isObject(row)) return { reason: "is not an object" };
  return isTooLong(row) ? { reason: `is longer than ${maxRowLength} characters` } : undefined;
}

function isObject(row: unknown): boolean {
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

function failed({ index, change: { key } }: GoodRow): RejectedRow {
  return {
    index,
    key,
    field: "products",
    message: "could not be stored because of an error of the database",
  };
}
