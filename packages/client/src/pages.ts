import type { MarketplaceQuery } from "./client.ts";

/** Page after page of a search, until it says that there are no more. */
export async function* pages<Page extends { hasMore: boolean }>(
  search: (query: MarketplaceQuery) => Promise<Page>,
  query: MarketplaceQuery,
): AsyncGenerator<Page, void> {
  for (let page = query.page ?? 1; ; page++) {
    const answer = await search({ ...query, page });
    yield answer;
    if (!answer.hasMore) return;
  }
}
