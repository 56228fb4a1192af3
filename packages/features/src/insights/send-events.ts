import { ApiError } from "@product-search/core/errors.ts";
import type { EventOutcome, SearchCounter, SentEvent } from "@product-search/core/ports/insights.ts";

export interface SendEventsDeps {
  /** Absent when nothing is counted. */
  searchCounter?: SearchCounter | undefined;
  /** By `_id` or key. */
  findProducts(idsOrKeys: readonly string[]): Promise<ReadonlyMap<string, { id: string; rowId: number }>>;
  /** The rows of all products that a search finds, pins or shows as related. */
  rowsOfSearch(request: string): Promise<ReadonlySet<number>>;
  /** Called for every event. */
  onEvent?: ((outcome: EventOutcome) => void) | undefined;
}

/** Counts events, and returns how many were counted. */
export async function sendEvents(
  { searchCounter, findProducts, rowsOfSearch, onEvent }: SendEventsDeps,
  events: readonly SentEvent[],
  { account, isPublic, address }: { account: string; isPublic: boolean; address: string },
): Promise<number> {
  const refused = isPublic ? events.findIndex(({ type }) => type !== "click") : -1;
  if (refused >= 0)
    throw new ApiError(
      "invalid_request",
      `events[${refused}].type: ${events[refused]?.type} needs a private token, because anybody can read a public one in a page and invent such events. Send it from your server.`,
    );
  const misplaced = events.findIndex(({ type, orderId }) => orderId !== undefined && type !== "purchase");
  if (misplaced >= 0)
    throw new ApiError(
      "invalid_request",
      `events[${misplaced}].orderId: belongs to purchases, and this is a ${events[misplaced]?.type}. Leave it out.`,
    );
  if (searchCounter === undefined) return 0;
  const products = await findProducts([...new Set(events.map(({ productId }) => productId))]);
  const rows = new Map(Array.from(products.values(), ({ id, rowId }) => [id, rowId]));
  const outcomes = await searchCounter.countEvents(
    account,
    events.map((event) => ({ ...event, productId: products.get(event.productId)?.id ?? event.productId })),
    isPublic
      ? {
          address,
          isInSearch: async (request, productId) => {
            const rowId = rows.get(productId);
            return rowId !== undefined && (await rowsOfSearch(request)).has(rowId);
          },
        }
      : undefined,
  );
  for (const outcome of outcomes) onEvent?.(outcome);
  return outcomes.filter((outcome) => outcome === "counted").length;
}
