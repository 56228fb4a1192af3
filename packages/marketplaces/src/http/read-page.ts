import { compileExpression, type Json } from "./profile/expression.ts";
import type { MapItem, MappedItem } from "./profile/map-item.ts";
import type { OffsetPagination, PagePagination, Profile } from "./profile/profile.ts";
import { UpstreamError } from "./send-safely.ts";

/** The contents of one response of the marketplace. */
export interface Page {
  items: MappedItem[];
  /** The number of matches, if the marketplace reports it. */
  total: number | undefined;
  /** The cursor of the next page, if there is one. */
  next: string | undefined;
}

const maxItems = 1000;

export function createPageReader({ answer, pagination }: Profile, mapItem: MapItem): (json: Json) => Page {
  const items = compileExpression(answer.items);
  const total = answer.total === undefined ? undefined : compileExpression(answer.total);
  const next = pagination.style === "cursor" ? compileExpression(pagination.next) : undefined;
  return (json) => {
    if (typeof json !== "object" || json === null) throw unreadable();
    const entries = evaluate(items, json);
    // An empty result often has no list. Any other value in its place means that this is another kind of response.
    if (entries !== null && !Array.isArray(entries)) throw unreadable();
    const count = total && Number(evaluate(total, json) ?? Number.NaN);
    const cursor = next && evaluate(next, json);
    if (entries === null && (count === undefined || Number.isNaN(count))) throw unreadable();
    return {
      items: (entries ?? []).slice(0, maxItems).map(mapItem),
      total: count !== undefined && count >= 0 && count < 1e12 ? Math.floor(count) : undefined,
      next:
        typeof cursor === "string" || typeof cursor === "number" ? String(cursor) || undefined : undefined,
    };
  };
}

function evaluate(expression: (json: Json) => Json, json: Json): Json {
  try {
    return expression(json);
  } catch (cause) {
    throw new UpstreamError("unreadable", "returned a response that does not match its profile.", { cause });
  }
}

function unreadable(): UpstreamError {
  return new UpstreamError("unreadable", "returned a response that does not match its profile.");
}

/** A part of the marketplace's list, as returned by one request. */
export interface ListPart {
  /** The requested start, and the requested length. */
  start: number;
  size: number;
  items: MappedItem[];
}

export interface MergedPages {
  items: MappedItem[];
  /** Whether the list changed so much between two requests that products may be missing after `items`. */
  isTorn: boolean;
}

/**
 * Joins parts that overlap by a few products. If the list changed in between, the shared products show by how much. If
 * there are no shared products, some may be missing, and the joined list ends before the gap.
 */
export function mergePages(parts: readonly ListPart[], overlap: number): MergedPages {
  const [first, ...rest] = parts;
  const items = [...(first?.items ?? [])];
  let previous = first;
  for (const part of rest) {
    const expected = previous ? previous.start + previous.size - part.start : 0;
    const from = overlapStart(items, part.items, Math.max(expected, overlap));
    const isFull = previous !== undefined && previous.items.length >= previous.size;
    if (from === undefined && isFull && part.items.length > 0) return { items, isTorn: true };
    items.push(...part.items.slice(from ?? 0));
    previous = part;
  }
  return { items, isTorn: false };
}

/** The index in `next` of the first product after the last of `items`. */
function overlapStart(
  items: readonly MappedItem[],
  next: readonly MappedItem[],
  overlap: number,
): number | undefined {
  const positions = new Map(next.map(({ code }, at) => [code, at]));
  positions.delete(undefined);
  for (let at = items.length - 1; at >= Math.max(0, items.length - overlap); at--) {
    const found = positions.get(items[at]?.code);
    if (found !== undefined) return found + 1;
  }
  return undefined;
}

/** The part of the result list that one request reads, and the parameters for it. */
export interface Window {
  start: number;
  size: number;
  parameters: Record<string, string>;
}

const defaultMaxResults = 10_000;
/**
 * Adjacent windows share this many products. If the list shifts between two requests, the shared products show it, so
 * that a response never skips a product unnoticed. Up to `maxLimit` that costs no further request, beyond at most one.
 */
const maxOverlap = 5;

/** How many products of the list can be reached. */
export function reachOf({ maxResults = defaultMaxResults }: { maxResults?: number }): number {
  return maxResults;
}

export function overlapOf({ maxLimit }: { maxLimit: number }): number {
  return Math.min(maxOverlap, Math.floor(maxLimit / 10));
}

/** The fewest requests that cover `[offset, offset + limit)`. All are known in advance, so they can run concurrently. */
export function planWindows(
  pagination: PagePagination | OffsetPagination,
  offset: number,
  limit: number,
): Window[] {
  const end = Math.min(offset + limit, reachOf(pagination));
  const windows = [windowAt(pagination, offset, end)];
  for (;;) {
    const reached = endOf(windows.at(-1));
    if (reached >= end) return windows;
    const overlapping = windowAt(pagination, reached - overlapOf(pagination), end);
    // Far down the list, small pages may not be able to overlap the last window and also go beyond it.
    windows.push(endOf(overlapping) > reached ? overlapping : windowAt(pagination, reached, end));
  }
}

function endOf(window: Window | undefined): number {
  return window ? window.start + window.size : 0;
}

function windowAt(pagination: PagePagination | OffsetPagination, from: number, end: number): Window {
  const { maxLimit, limitParameter } = pagination;
  if (pagination.style === "offset" && !pagination.aligned) {
    const size = Math.min(Math.max(end - from, 1), maxLimit);
    return {
      start: from,
      size,
      parameters: { [pagination.offsetParameter]: String(from), [limitParameter]: String(size) },
    };
  }
  const size = bestPageSize(from, end, maxLimit);
  const page = Math.floor(from / size);
  const position =
    pagination.style === "page"
      ? { [pagination.pageParameter]: String(page + (pagination.firstPage ?? 1)) }
      : { [pagination.offsetParameter]: String(page * size) };
  return { start: page * size, size, parameters: { ...position, [limitParameter]: String(size) } };
}

/**
 * Pages start at multiples of their size. Chooses the smallest size whose page covers `from` to `end`, else the one that
 * reaches furthest: 250 from the start are read as 100 of 100, 95 of 95 and 92 of 92.
 */
function bestPageSize(from: number, end: number, maxLimit: number): number {
  let best = maxLimit;
  let reach = 0;
  for (let size = 1; size <= maxLimit; size++) {
    const pageEnd = (Math.floor(from / size) + 1) * size;
    if (pageEnd >= end) return size;
    if (pageEnd > reach) {
      best = size;
      reach = pageEnd;
    }
  }
  return best;
}
