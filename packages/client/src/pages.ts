/** Reads the pages of a search until `hasMore` is false. */
export async function* pages<Query extends { page?: number }, Page extends { hasMore: boolean }>(
  search: (query: Query) => Promise<Page>,
  query: Query,
): AsyncGenerator<Page, void> {
  for (let page = query.page ?? 1; ; page++) {
    const response = await search({ ...query, page });
    yield response;
    if (!response.hasMore) return;
  }
}

/** Reads the pages of a list until there is no `nextCursor`. */
export async function* cursorPages<Query extends { cursor?: string }, Page extends { nextCursor?: string }>(
  list: (query: Query) => Promise<Page>,
  query: Query,
): AsyncGenerator<Page, void> {
  for (let next: Query = query; ; ) {
    const response = await list(next);
    yield response;
    if (response.nextCursor === undefined) return;
    next = { ...query, cursor: response.nextCursor };
  }
}
