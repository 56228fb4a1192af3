import { createHash } from "node:crypto";
import type { LocalImages } from "@product-search/core/ports/local-images.ts";
import {
  OutboundError,
  type OutboundHttp,
  type OutboundResponse,
} from "@product-search/core/ports/outbound-http.ts";
import type { ProductImage } from "@product-search/core/ports/product-image-store.ts";

export interface FetchImageDeps {
  localImages: LocalImages;
  outboundHttp: Pick<OutboundHttp, "send">;
}

export type FetchedImage =
  | { bytes: Uint8Array; etag?: string }
  /** The image has not changed since it was described. */
  | { unchanged: true }
  /** The image is not available; `later` if another attempt may help. */
  | { fault: string; later: boolean };

const timeoutMs = 20_000;
/** Twice the size of images that clients may send, because shops keep originals. */
const maxBytes = 15 * 1024 * 1024;

/** The image file, from this service or from its host. Does not throw for failures of a host. */
export async function fetchImage(
  { localImages, outboundHttp }: FetchImageDeps,
  { address, etag }: Pick<ProductImage, "address" | "etag">,
  signal: AbortSignal,
): Promise<FetchedImage> {
  if (address.startsWith("/")) return readLocal(localImages, address, etag);
  try {
    const response = await outboundHttp.send(
      {
        url: address,
        headers: {
          accept: "image/avif,image/webp,image/jpeg,image/png,image/gif;q=0.9,*/*;q=0.1",
          ...(etag !== undefined && { "if-none-match": etag }),
        },
        timeoutMs,
        maxResponseBytes: maxBytes,
        redirects: { max: 5 },
      },
      signal,
    );
    return await readResponse(response);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { fault: error.message, later: ["timeout", "connection", "tls"].includes(error.failure) };
  }
}

async function readLocal(
  localImages: LocalImages,
  address: string,
  etag: string | undefined,
): Promise<FetchedImage> {
  const bytes = await localImages.read(address);
  if (bytes === undefined) return { fault: "there is no such file", later: false };
  const own = createHash("sha256").update(bytes).digest("base64url");
  return own === etag ? { unchanged: true } : { bytes, etag: own };
}

async function readResponse(response: OutboundResponse): Promise<FetchedImage> {
  const { status, headers } = response;
  if (status === 200) {
    const bytes = await response.bytes();
    return { bytes, ...(headers.etag !== undefined && { etag: headers.etag }) };
  }
  response.discard();
  if (status === 304) return { unchanged: true };
  return {
    fault: `the host responded with ${status}`,
    later: status === 408 || status === 425 || status === 429 || status >= 500,
  };
}
