import { createHash } from "node:crypto";
import { keptText, normaliseQuery } from "@product-search/core/domain/insights/kept-query.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  type CountedEvent,
  type EventOutcome,
  maxRequestBytes,
  type PublicSender,
  type QueryIds,
  type SearchCounter,
  type SentEvent,
} from "@product-search/core/ports/insights.ts";

/** A search as it waits to be counted. */
export interface NotedSearch {
  client: string;
  /** Normalised: to see whether the client continues it. */
  text: string;
  /** What is kept of it, if anything. */
  query?: string;
  results: number;
  isRelaxed: boolean;
  atMs: number;
}

export interface SearchCounterDeps {
  queryIds: QueryIds;
  clock: Clock;
  /** Gets all searches since the last call. */
  send(searches: NotedSearch[]): void;
  addEvents(events: readonly CountedEvent[]): Promise<EventOutcome[]>;
  /** Of the address or order of a person and of what it belongs to, with the key of the deployment. */
  hashPersonal(text: string, of: string): string;
  sendEveryMs?: number;
}

const hourMs = 3600 * 1000;
/** Longer than a search can be named. */
const eventKeyLifetimeMs = 25 * hourMs;
const personalLifetimeMs = 24 * hourMs;
/** What comes above it between two batches is not counted. */
const maxWaiting = 10_000;

/**
 * Notes searches in memory, and passes them on in batches: a search waits for nothing. Without any, no timer runs. Events are
 * passed on at once, and wait until they are stored.
 */
export function createSearchCounter({
  queryIds,
  clock,
  send,
  addEvents,
  hashPersonal,
  sendEveryMs = 250,
}: SearchCounterDeps): SearchCounter & { flush(): void } {
  let searches: NotedSearch[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (searches.length === 0) return;
    const full = searches;
    searches = [];
    send(full);
  };
  const note = (search: NotedSearch) => {
    if (searches.length < maxWaiting) searches.push(search);
    timer ??= setTimeout(flush, sendEveryMs).unref();
  };
  return {
    countSearch({ client, text, results, isRelaxed, isFirstPage, request, shown }) {
      const atMs = clock.now();
      const normalised = normaliseQuery(text);
      const kept = keptText(normalised);
      if (isFirstPage && kept.kind !== "none") {
        const query = kept.kind === "kept" ? { query: kept.query } : {};
        note({ client, text: normalised, ...query, results, isRelaxed, atMs });
      }
      return queryIds.make({ atMs, text: kept, request: fitting(request, shown) });
    },
    async countEvents(account, events, sender) {
      const read = await Promise.all(
        events.map((event) =>
          readEvent(event, { queryIds, atMs: clock.now(), account, sender, hashPersonal }),
        ),
      );
      const outcomes = await addEvents(read.filter((event) => typeof event !== "string"));
      const next = outcomes.values();
      return read.map((event) =>
        typeof event === "string" ? event : (next.next().value ?? "unknown_product"),
      );
    },
    flush,
  };
}

const shownPrefix = "shown ";
const shownDigits = 5;

/** The request or, if it has no room, as many of the shown products as have. */
function fitting(request: string, shown: readonly string[]): string {
  if (Buffer.byteLength(request) <= maxRequestBytes) return request;
  return (
    shownPrefix +
    shown
      .map(shownHash)
      .join("")
      .slice(0, maxRequestBytes - shownPrefix.length)
  );
}

function shownHash(productId: string): string {
  return createHash("sha256").update(productId).digest("base64url").slice(0, shownDigits);
}

async function isInSearch(request: string, productId: string, sender: PublicSender): Promise<boolean> {
  if (!request.startsWith(shownPrefix)) return sender.isInSearch(request, productId);
  const hashes = request.slice(shownPrefix.length);
  return Array.from({ length: Math.floor(hashes.length / shownDigits) }, (_, i) =>
    hashes.slice(i * shownDigits, (i + 1) * shownDigits),
  ).includes(shownHash(productId));
}

/** The event as it is stored, or why it does not count. */
async function readEvent(
  { type, productId, queryId, position, orderId }: SentEvent,
  {
    queryIds,
    atMs,
    account,
    sender,
    hashPersonal,
  }: Pick<SearchCounterDeps, "queryIds" | "hashPersonal"> & {
    atMs: number;
    account: string;
    sender: PublicSender | undefined;
  },
): Promise<CountedEvent | EventOutcome> {
  const isPublic = sender !== undefined;
  const order =
    orderId === undefined
      ? {}
      : { order: { key: hashPersonal(orderId, `order ${account}`), untilMs: atMs + personalLifetimeMs } };
  if (queryId === undefined) return isPublic ? "unknown_search" : { type, productId, atMs, ...order };
  const named = queryIds.read(queryId);
  if (named === undefined) return "unknown_search";
  const { text, atMs: searchedAtMs, request = "" } = named.search;
  if (sender !== undefined && !(await isInSearch(request, productId, sender))) return "not_in_search";
  // A hash has one length whatever the product is called.
  const hash = createHash("sha256").update(`${named.id} ${type} ${productId}`).digest("base64url");
  const keys = [{ key: hash.slice(0, 22), untilMs: atMs + eventKeyLifetimeMs }];
  if (sender !== undefined)
    keys.push({
      key: hashPersonal(sender.address, `${type} ${productId}`),
      untilMs: atMs + personalLifetimeMs,
    });
  return {
    type,
    productId,
    atMs,
    isPublic,
    keys,
    ...order,
    ...(text.kind !== "none" && {
      search: {
        hour: Math.floor(searchedAtMs / hourMs),
        ...(text.kind === "kept" && { query: text.query }),
      },
    }),
    ...(position !== undefined && { position }),
  };
}
