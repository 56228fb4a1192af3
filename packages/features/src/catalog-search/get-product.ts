import type { Availability } from "@product-search/core/domain/availability.ts";
import { assertPeriod, readTime } from "@product-search/core/domain/feed-values.ts";
import { requireProduct } from "@product-search/core/domain/identity.ts";
import {
  type Presentation,
  priceHistoryLimit,
  toAnyProduct,
  toPriceHistoryEntry,
  toVariant,
} from "@product-search/core/domain/mapping/to-product.ts";
import type { PriceEntry } from "@product-search/core/domain/product.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { CatalogStore, PriceHistoryRange } from "@product-search/core/ports/catalog-store.ts";
import type { AnyProduct, PriceHistoryEntry, ProductVariant } from "@product-search/types";

export interface GetProductDeps extends Presentation {
  catalogStore: Pick<CatalogStore, "findByIds" | "findGroup" | "priceHistories">;
}

/** As in the spec. */
const maxVariants = 250;

/** The stored product of any source, with its availability and the members of its group. */
export async function getProduct(
  deps: GetProductDeps,
  id: string,
): Promise<{ product: AnyProduct; availability: Availability; variants?: ProductVariant[] }> {
  const product = await requireProduct(deps.catalogStore, id);
  const { source, groupId, availability } = product;
  const [[history = []], members] = await Promise.all([
    deps.catalogStore.priceHistories([product.rowId], priceHistoryLimit),
    groupId === undefined ? undefined : deps.catalogStore.findGroup(source, groupId, maxVariants),
  ]);
  return {
    product: toAnyProduct(product, history, deps, { description: true, custom: true }),
    availability,
    ...(members && { variants: members.map((member) => toVariant(member, deps)) }),
  };
}

interface ListPriceHistoryDeps {
  catalogStore: Pick<CatalogStore, "findByIds" | "priceHistory">;
  currency: string;
}

interface PriceHistoryQuery {
  from?: string;
  to?: string;
  limit?: number;
  cursor?: string;
}

interface PriceHistoryPage {
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
