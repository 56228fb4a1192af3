import { ApiError } from "@product-search/core/errors.ts";
import type { UploadedImageStore, VectorSearch, VisionModel } from "@product-search/core/ports/images.ts";

/** Limit of the image file. Base64 adds a third, so the file just fits into the largest body. */
export const maxImageBytes = 7 * 1024 * 1024;
const maxHeadLength = 256;

/** The file in a base64 text: standard or URL-safe, with or without padding, line breaks or a `data:` prefix. */
export function readImage(text: string): Uint8Array<ArrayBuffer> {
  const bytes = decode(withoutHead(text));
  if (bytes.length === 0) {
    throw new ApiError("invalid_request", "base64String: is empty. Send an image file in base64.");
  }
  if (bytes.length > maxImageBytes) {
    throw new ApiError(
      "payload_too_large",
      `base64String: the image file has ${bytes.length} bytes; at most ${maxImageBytes} are allowed. Scale it down.`,
    );
  }
  return bytes;
}

/** RFC 2397. The media type is ignored: the bytes decide. */
function withoutHead(text: string): string {
  if (!/^data:/i.test(text)) return text;
  const end = text.slice(0, maxHeadLength).indexOf(",");
  if (end >= 0 && /;\s*base64$/i.test(text.slice(0, end))) return text.slice(end + 1);
  throw new ApiError(
    "invalid_request",
    "base64String: the data URL is not in base64. Send one such as data:image/png;base64,iVBORw0KGgo…",
  );
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  const alphabet = base64.includes("-") || base64.includes("_") ? "base64url" : "base64";
  try {
    return Uint8Array.fromBase64(base64, { alphabet });
  } catch (cause) {
    throw new ApiError(
      "invalid_request",
      "base64String: is not valid base64. Send an image file in standard or URL-safe base64, complete, with correct padding or none.",
      { cause },
    );
  }
}

/** Adds the name of the field to the error message of the image. */
export async function withFieldInMessage<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApiError) || !["invalid_image", "payload_too_large"].includes(error.code))
      throw error;
    throw new ApiError(error.code, `base64String: ${error.message}`, { cause: error });
  }
}

interface VectorizeImageDeps {
  uploadedImageStore: Pick<UploadedImageStore, "slugOf" | "renew" | "keep">;
  visionModel: Pick<VisionModel, "describe">;
  vectorSearch: Pick<VectorSearch, "model">;
}

/** The slug to search with. An image that is still stored is not described again. */
export async function vectorizeImage(
  { uploadedImageStore, visionModel, vectorSearch }: VectorizeImageDeps,
  { base64String }: { base64String: string },
  signal: AbortSignal,
): Promise<string> {
  const bytes = readImage(base64String);
  const slug = await uploadedImageStore.slugOf(bytes);
  const model = vectorSearch.model();
  if (model !== undefined && (await uploadedImageStore.renew(slug, model))) return slug;
  const descriptor = await withFieldInMessage(visionModel.describe(bytes, signal));
  await uploadedImageStore.keep([{ slug, descriptor }]);
  return slug;
}
