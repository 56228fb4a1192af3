import type { ShopAddress } from "@product-search/core/domain/urls.ts";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { OutboundHttp, OutboundRequest } from "@product-search/core/ports/outbound-http.ts";
import { FeedError } from "@product-search/feeds/formats/feed-row.ts";

/** How patiently a shop is asked; tests wait less. */
export interface ShopPace {
  /** Between two requests. */
  pagePauseMs?: number;
  /** Between two looks at a list that the shop makes. */
  pollPauseMs?: number;
  /** After a failure that may pass, if the shop does not say how long; twice as long each time. */
  firstRetryMs?: number;
}

const requestTimeoutMs = 60_000;
const maxPageBytes = 32_000_000;
const maxRedirects = 3;
const usualPagePauseMs = 500;
const usualFirstRetryMs = 2000;
const maxTries = 5;
/** A shop that asks for more patience is asked again when its feed is due again. */
const maxRetryAfterMs = 120_000;
/** The ETags of more pages are not kept. */
const maxKnownPages = 100;

export type Item = Record<string, unknown>;

export type Requests = ReturnType<typeof createRequests>;

/** Asks a shop patiently, page after page. */
export function createRequests(
  outboundHttp: OutboundHttp,
  shop: ShopAddress,
  pace: ShopPace,
  signal: AbortSignal,
) {
  const { pagePauseMs = usualPagePauseMs, firstRetryMs = usualFirstRetryMs } = pace;
  const etags = new Map<string, string | undefined>();
  let isFirst = true;
  const placeOf = (path: string) => `${shop.url}${path}`;

  /** Asks until the server has an answer that is not "later". */
  async function send({ url, headers, ...more }: Pick<OutboundRequest, "url"> & Partial<OutboundRequest>) {
    for (let tries = 1; ; tries += 1) {
      if (!isFirst) await pause(pagePauseMs, signal);
      isFirst = false;
      signal.throwIfAborted();
      const response = await outboundHttp.send(
        {
          url,
          headers: { accept: "application/json", ...headers },
          timeoutMs: requestTimeoutMs,
          maxResponseBytes: maxPageBytes,
          // What is sent goes to this host alone.
          ...(more.method === undefined && { redirects: { max: maxRedirects } }),
          compressed: true,
          ...more,
        },
        signal,
      );
      // Shopify's own status for too many requests is 430.
      const isLater = [429, 430, 500, 502, 503, 504].includes(response.status);
      if (!isLater) return response;
      response.discard();
      await wait(url, `responded with status ${response.status}`, tries, response.headers["retry-after"]);
    }
  }

  /** Before the next try, as long as the shop says; fails after too many. */
  async function wait(url: string, fault: string, tries: number, retryAfter?: string): Promise<void> {
    const waitMs = retryAfterMs(retryAfter) ?? firstRetryMs * 2 ** (tries - 1);
    if (tries >= maxTries || waitMs > maxRetryAfterMs)
      throw new FeedError(
        `${url} ${fault}${tries > 1 ? ` ${tries} times` : ""}. It is asked again when the feed is due. Nothing was changed.`,
      );
    await pause(waitMs, signal);
  }

  return {
    placeOf,
    send,
    wait,
    parse: parsed,
    /** A page of JSON. A status that is expected beside 200 has no body. */
    async get(path: string, expected: readonly number[] = []) {
      const response = await send({ url: placeOf(path) });
      const { status, headers } = response;
      if (status !== 200) {
        response.discard();
        if (expected.includes(status)) return { status, body: undefined };
        throw new FeedError(
          `${placeOf(path)} responded with status ${status} instead of 200: the shop lists no products in public. Import its own export instead.`,
        );
      }
      etags.set(path, headers.etag);
      return { status, body: parsed(await response.bytes(), placeOf(path)), ...totalsOf(headers) };
    },
    /** Whether the server says so of every page. */
    async areUnchanged(pages: readonly (readonly [string, string])[]): Promise<boolean> {
      for (const [path, etag] of pages) {
        const response = await send({ url: placeOf(path), headers: { "if-none-match": etag } });
        response.discard();
        if (response.status !== 304) return false;
      }
      return pages.length > 0;
    },
    /** Of all pages; undefined if one had none. */
    etags(): [string, string][] | undefined {
      if (etags.size > maxKnownPages) return undefined;
      const all = [...etags].flatMap(([path, etag]): [string, string][] =>
        etag === undefined ? [] : [[path, etag]],
      );
      return all.length === etags.size ? all : undefined;
    },
  };
}

/** In seconds, or a date. */
function retryAfterMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function totalsOf(headers: Readonly<Record<string, string>>): { total?: number; totalPages?: number } {
  const total = countOf(headers["x-wp-total"]);
  const totalPages = countOf(headers["x-wp-totalpages"]);
  return { ...(total !== undefined && { total }), ...(totalPages !== undefined && { totalPages }) };
}

function countOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function parsed(bytes: Uint8Array, place: string): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (cause) {
    throw new FeedError(`${place} holds no JSON: is the shop open to everybody? Nothing was changed.`, {
      cause,
    });
  }
}

export function isItem(value: unknown): value is Item {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
