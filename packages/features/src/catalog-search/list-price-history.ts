import { toPriceHistoryEntry } from "@product-search/core/domain/mapping/to-product.ts";
import type { PriceEntry } from "@product-search/core/domain/product.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { CatalogStore, PriceHistoryRange } from "@product-search/core/ports/catalog-store.ts";
import type { PriceHistoryEntry } from "@product-search/types";
import { productNotFound } from "../product-not-found.ts";

export interface ListPriceHistoryDeps {
  catalogStore: Pick<CatalogStore, "findById" | "priceHistory">;
  currency: string;
}

export interface PriceHistoryQuery {
  from?: string;
  to?: string;
  limit?: number;
  cursor?: string;
}

export interface PriceHistoryPage {
  priceHistory: PriceHistoryEntry[];
  nextCursor?: string;
}

/** The prices of a product in a period, oldest first, in pages. */
export async function listPriceHistory(
  { catalogStore, currency }: ListPriceHistoryDeps,
  id: string,
  { limit = 100, ...query }: PriceHistoryQuery,
): Promise<PriceHistoryPage> {
  const range = readRange(query);
  const product = await catalogStore.findById(id);
  if (product === undefined) throw productNotFound();
  const entries = await catalogStore.priceHistory(product.rowId, range, limit + 1);
  const page = entries.slice(0, limit);
  const last = page.at(-1);
  return {
    priceHistory: page.map((entry) => toPriceHistoryEntry(entry, currency)),
    ...(entries.length > limit && last !== undefined && { nextCursor: writeCursor(last) }),
  };
}

function readRange({ from, to, cursor }: Omit<PriceHistoryQuery, "limit">): PriceHistoryRange {
  const range: PriceHistoryRange = {
    ...(from !== undefined && { fromMs: readTime("from", from) }),
    ...(to !== undefined && { toMs: readTime("to", to) }),
    ...(cursor !== undefined && { after: readCursor(cursor) }),
  };
  if (range.fromMs !== undefined && range.toMs !== undefined && range.fromMs > range.toMs)
    throw new ApiError(
      "invalid_request",
      `to: ${to} is before from, which is ${from}. Send the later time as to.`,
    );
  return range;
}

/** A date without a time is the start of that day in UTC. */
function readTime(parameter: string, text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time) && isDay(text.slice(0, 10))) return time;
  throw new ApiError(
    "invalid_request",
    `${parameter}: ${text} is no time that exists. Send something like 2026-11-22 or 2026-11-22T12:00:00Z.`,
  );
}

/** JavaScript reads February 31 as March 3. */
function isDay(day: string): boolean {
  return new Date(day).toISOString().startsWith(day);
}

/** Opaque, so that clients do not depend on its content. */
function writeCursor({ atMs, id }: PriceEntry): string {
  return Buffer.from(`after ${atMs} ${id}`).toString("base64url");
}

function readCursor(cursor: string): Pick<PriceEntry, "atMs" | "id"> {
  const [, atMs, id] =
    /^after (-?\d{1,16}) ([\da-f]{1,24})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (atMs !== undefined && id !== undefined) return { atMs: Number(atMs), id };
  throw new ApiError(
    "invalid_request",
    "cursor: is not valid. Send the nextCursor of the previous page, or no cursor for the first page.",
  );
}
