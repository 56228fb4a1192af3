import { requireProduct } from "@product-search/core/domain/find-product.ts";
import { toPriceHistoryEntry } from "@product-search/core/domain/mapping/to-product.ts";
import type { PriceEntry } from "@product-search/core/domain/product.ts";
import { assertPeriod, readTime } from "@product-search/core/domain/read-time.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { CatalogStore, PriceHistoryRange } from "@product-search/core/ports/catalog-store.ts";
import type { PriceHistoryEntry } from "@product-search/types";

export interface ListPriceHistoryDeps {
  catalogStore: Pick<CatalogStore, "findByIds" | "priceHistory">;
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
  const product = await requireProduct(catalogStore, id);
  const entries = await catalogStore.priceHistory(product.rowId, range, limit + 1);
  const page = entries.slice(0, limit);
  const last = page.at(-1);
  return {
    priceHistory: page.map((entry) => toPriceHistoryEntry(entry, currency)),
    ...(entries.length > limit && last !== undefined && { nextCursor: writeCursor(last) }),
  };
}

function readRange({ from, to, cursor }: Omit<PriceHistoryQuery, "limit">): PriceHistoryRange {
  const fromMs = from === undefined ? undefined : readTime("from", from);
  const toMs = to === undefined ? undefined : readTime("to", to);
  if (from !== undefined && fromMs !== undefined && to !== undefined && toMs !== undefined)
    assertPeriod({ text: from, ms: fromMs }, { text: to, ms: toMs });
  return {
    ...(fromMs !== undefined && { fromMs }),
    ...(toMs !== undefined && { toMs }),
    ...(cursor !== undefined && { after: readCursor(cursor) }),
  };
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
