import type { Readable } from "node:stream";
import { pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { OutboundError } from "@product-search/core/ports/outbound-http.ts";
import type { Exchange } from "./exchange.ts";
import { toOutboundError } from "./to-outbound-error.ts";

const unpackers: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Decompresses the body by its Content-Encoding. An unknown encoding is passed on unchanged. */
export function unpack(body: Readable, encoding: string | undefined): Readable {
  const create = unpackers[encoding?.trim().toLowerCase() ?? ""];
  if (create === undefined) return body;
  // Errors of either stream reach the reader through the destroyed decompressor.
  return pipeline(body, create(), () => {});
}

/** The bytes, up to the limit. They are counted after decompression, so a decompression bomb is stopped. */
export async function* readBody(
  body: Readable,
  maxBytes: number,
  host: string,
  exchange: Exchange,
): AsyncGenerator<Uint8Array, void, undefined> {
  let total = 0;
  try {
    for await (const chunk of body) {
      const bytes: Uint8Array = chunk;
      total += bytes.byteLength;
      if (total > maxBytes) {
        throw new OutboundError(
          "too_large",
          `"${host}" sent more than the ${maxBytes} bytes that are accepted.`,
        );
      }
      yield bytes;
    }
  } catch (error) {
    throw toOutboundError(error, host);
  } finally {
    exchange.end();
  }
}
