import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { FeedVersion } from "../../../ports/import-journal.ts";
import { OutboundError, type OutboundHttp, type OutboundResponse } from "../../../ports/outbound-http.ts";
import { FeedError } from "./formats/feed-row.ts";

const chunkBytes = 256 * 1024;
/** The limit for a slow server. A server that sends nothing is stopped much earlier by the outgoing HTTP client. */
const downloadTimeoutMs = 6 * 60 * 60 * 1000;
const maxDownloadBytes = 64 * 1024 ** 3;
const maxRedirects = 5;

export interface OpenFeed {
  chunks: AsyncIterable<Uint8Array>;
  /** Undefined if the server does not say. */
  totalBytes?: number;
  /** Only for feeds from a URL. */
  version?: FeedVersion;
}

/** Opens a file or a URL; `undefined` if the server says that it has not changed since the last import. */
export async function openFeed(
  { outboundHttp }: { outboundHttp: OutboundHttp },
  location: string,
  lastVersion: FeedVersion | undefined,
  signal: AbortSignal,
): Promise<OpenFeed | undefined> {
  if (!isUrl(location)) return openFile(location, signal);
  try {
    return await download(outboundHttp, location, lastVersion, signal);
  } catch (error) {
    throw asFeedError(error);
  }
}

export function isUrl(location: string): boolean {
  return /^https?:\/\//i.test(location);
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
  return { chunks: readBody(response), ...totalOf(response), version: versionOf(url, response) };
}

async function* readBody(response: OutboundResponse): AsyncGenerator<Uint8Array> {
  try {
    yield* response.body;
  } catch (error) {
    throw asFeedError(error);
  }
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
