import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { isShopAddress, parseShopAddress, type ShopAddress } from "@product-search/core/domain/urls.ts";
import type { FeedVersion } from "@product-search/core/ports/imports.ts";
import {
  OutboundError,
  type OutboundHttp,
  type OutboundResponse,
} from "@product-search/core/ports/outbound-http.ts";
import { FeedError } from "@product-search/feeds/formats/feed-row.ts";
import { type OpenFeed, type OpenShopDeps, openShop } from "./open-shop.ts";
import type { ShopPace } from "./shop-requests.ts";

const chunkBytes = 256 * 1024;
/** A server that sends nothing is stopped much earlier by the outgoing HTTP client, and a slow one by its pace. */
const downloadTimeoutMs = 6 * 60 * 60 * 1000;
const maxDownloadBytes = 64 * 1024 ** 3;
const maxRedirects = 5;

/** How fast the server of a feed must send. */
export interface FetchPace extends ShopPace {
  /** The time that is waited for data is cut into periods of this length. */
  periodMs?: number;
  /** What a server must send in each period but the first. */
  minBytesPerPeriod?: number;
  /** How long fetching may take, the last byte included. */
  maxFetchMs?: number;
}

const usualPeriodMs = 60_000;
/** 1 kB/s: slower than that, a feed of ordinary size takes days, and its prices are old when it has arrived. */
const usualMinBytesPerPeriod = 60_000;

/** Opens a file, a URL or a shop; `undefined` if the server says that it has not changed since the last import. */
export async function openFeed(
  deps: OpenShopDeps,
  location: string,
  lastVersion: FeedVersion | undefined,
  pace: FetchPace,
  signal: AbortSignal,
): Promise<OpenFeed | undefined> {
  const isShop = isShopAddress(location);
  if (!isShop && !isUrl(location)) return openFile(location, signal);
  const slow = watchPace(pace);
  const either = AbortSignal.any([signal, slow.signal]);
  try {
    const opened = isShop
      ? await openShop(deps, shopAddressOf(location), lastVersion, pace, either)
      : await download(deps.outboundHttp, location, lastVersion, slow, either);
    if (opened === undefined) slow.end();
    else if (isShop) return { ...opened, chunks: withPace(opened.chunks, slow) };
    return opened;
  } catch (error) {
    slow.end();
    throw slow.signal.aborted ? slow.signal.reason : asFeedError(error);
  }
}

export function isUrl(location: string): boolean {
  return /^https?:\/\//i.test(location);
}

function shopAddressOf(location: string): ShopAddress {
  const shop = parseShopAddress(location);
  if ("fault" in shop) throw new FeedError(`The feed cannot be read: ${shop.fault}.`);
  return shop;
}

async function openFile(path: string, signal: AbortSignal): Promise<OpenFeed> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new FeedError(`The file "${path}" cannot be read: check its name and permissions.`, { cause });
  });
  if (!found.isFile()) throw new FeedError(`"${path}" is not a file.`);
  const chunks = createReadStream(path, { highWaterMark: chunkBytes, signal });
  return { chunks, totalBytes: found.size };
}

async function download(
  outboundHttp: OutboundHttp,
  url: string,
  lastVersion: FeedVersion | undefined,
  slow: PaceWatch,
  signal: AbortSignal,
): Promise<OpenFeed | undefined> {
  const headers = {
    accept: "*/*",
    ...(lastVersion?.etag !== undefined && { "if-none-match": lastVersion.etag }),
    ...(lastVersion?.lastModified !== undefined && { "if-modified-since": lastVersion.lastModified }),
  };
  const response = await outboundHttp.send(
    {
      url,
      headers,
      timeoutMs: downloadTimeoutMs,
      maxResponseBytes: maxDownloadBytes,
      redirects: { max: maxRedirects },
      compressed: true,
    },
    signal,
  );
  if (response.status === 304 && lastVersion !== undefined) {
    response.discard();
    return undefined;
  }
  if (response.status !== 200) {
    response.discard();
    throw new FeedError(`The server of the feed responded with status ${response.status} instead of 200.`);
  }
  const chunks = withPace(slow.watch(response.body), slow);
  return { chunks, ...totalOf(response), version: () => versionOf(url, response) };
}

async function* withPace(chunks: AsyncIterable<Uint8Array>, slow: PaceWatch): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw slow.signal.aborted ? slow.signal.reason : asFeedError(error);
  } finally {
    slow.end();
  }
}

interface PaceWatch {
  /** Aborted with a `FeedError` when the server is too slow. */
  signal: AbortSignal;
  watch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  end(): void;
}

/** Only the time in which the server is waited for counts towards its pace, not that in which rows are staged. */
function watchPace({
  periodMs = usualPeriodMs,
  minBytesPerPeriod = usualMinBytesPerPeriod,
  maxFetchMs = downloadTimeoutMs,
}: FetchPace): PaceWatch {
  const slow = new AbortController();
  const stop = (message: string) => slow.abort(new FeedError(message));
  const whole = setTimeout(
    () =>
      stop(
        `The feed could not be fetched: the server had not sent all of it after ${timeText(maxFetchMs)}. ` +
          "Nothing was changed. Make the feed smaller or its server faster; a scheduled feed with a longer period has more time.",
      ),
    maxFetchMs,
  );
  return {
    signal: slow.signal,
    end: () => clearTimeout(whole),
    async *watch(chunks) {
      let [periods, waitedMs, bytes] = [0, 0, 0];
      const endPeriod = () => {
        if (periods > 0 && bytes < minBytesPerPeriod) {
          stop(
            `The feed could not be fetched: the server sent only ${bytes} bytes in ${timeText(periodMs)}, ` +
              `and at least ${minBytesPerPeriod} are needed. Nothing was changed.`,
          );
        }
        [periods, waitedMs, bytes] = [periods + 1, 0, 0];
      };
      const iterator = chunks[Symbol.asyncIterator]();
      try {
        for (;;) {
          let sinceMs = performance.now();
          let timer = setTimeout(function next() {
            endPeriod();
            sinceMs = performance.now();
            timer = setTimeout(next, periodMs);
          }, periodMs - waitedMs);
          const { done, value } = await iterator.next().finally(() => clearTimeout(timer));
          if (done) return;
          // A timer that is late has not ended the period yet.
          waitedMs = Math.min(periodMs, waitedMs + performance.now() - sinceMs);
          bytes += value.length;
          yield value;
        }
      } finally {
        await iterator.return?.();
      }
    },
  };
}

function timeText(ms: number): string {
  return ms < 120_000 ? `${ms / 1000} s` : `${Math.round(ms / 60_000)} minutes`;
}

function asFeedError(error: unknown): unknown {
  if (!(error instanceof OutboundError) || error.failure === "aborted") return error;
  const remedy =
    error.failure === "forbidden_target" ? " Add its network to FETCH_ALLOW_NETWORKS to allow it." : "";
  return new FeedError(`The feed could not be fetched: ${error.message}${remedy}`, { cause: error });
}

/** The length can only be used for progress if it counts the bytes that are read here. */
function totalOf({ headers }: OutboundResponse): { totalBytes?: number } {
  const length = Number(headers["content-length"]);
  return Number.isFinite(length) && headers["content-encoding"] === undefined ? { totalBytes: length } : {};
}

function versionOf(url: string, { headers }: OutboundResponse): FeedVersion {
  const { etag, "last-modified": lastModified } = headers;
  return { url, ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
}
