import { LRUCache } from "lru-cache";
import type { FetchPage, Gathered } from "./gather-windows.ts";
import type { CursorPagination } from "./profile/profile.ts";
import { UpstreamError } from "./upstream-error.ts";

/** Cursors by search. The cursor at `n` leads to page `n`; the first page has none. */
export type KnownCursors = LRUCache<string, string[]>;

const searchesRemembered = 1000;
const cursorLifeMs = 300_000;
/** Maximum number of pages that one search reads, one after the other. */
const maxSteps = 10;

export function createKnownCursors(): KnownCursors {
  return new LRUCache({ max: searchesRemembered, ttl: cursorLifeMs });
}

/** Reads pages from the nearest one with a known cursor up to `offset + limit`. */
export async function walkCursors(
  fetchPage: FetchPage,
  pagination: CursorPagination,
  known: KnownCursors,
  { text, offset, limit }: { text: string; offset: number; limit: number },
): Promise<Gathered> {
  const { maxLimit, limitParameter, cursorParameter } = pagination;
  const cursors = known.get(text) ?? [];
  const first = Math.floor(offset / maxLimit);
  const last = Math.floor((offset + limit - 1) / maxLimit);
  let at = Math.min(first, cursors.length);
  if (last - at >= maxSteps) {
    throw new UpstreamError(
      "refused",
      "can only be paged through in order. Ask for the pages before this one first.",
    );
  }
  const gathered: Gathered = { items: [], total: undefined, goesOn: false };
  for (; at <= last; at++) {
    const cursor = at === 0 ? undefined : cursors[at - 1];
    const parameters = { [limitParameter]: String(maxLimit), ...(cursor && { [cursorParameter]: cursor }) };
    const page = await fetchPage(parameters).catch((error: unknown) => {
      // The marketplace may have dropped the cursor: the next search starts from the first page.
      known.delete(text);
      throw error;
    });
    gathered.total = page.total ?? gathered.total;
    gathered.goesOn = page.next !== undefined;
    if (at >= first) gathered.items.push(...page.items);
    if (page.next === undefined) break;
    cursors[at] = page.next;
    known.set(text, cursors);
  }
  const skip = offset - first * maxLimit;
  const isCut = gathered.items.length > skip + limit;
  return { ...gathered, items: gathered.items.slice(skip, skip + limit), goesOn: gathered.goesOn || isCut };
}
