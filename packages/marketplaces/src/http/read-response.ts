import type { Json } from "./profile/expression.ts";
import { UpstreamError } from "./upstream-error.ts";

/** The JSON of a response, in any character encoding. */
export function readResponse(bytes: Uint8Array, contentType: string | undefined): Json {
  try {
    const value: Json = JSON.parse(decode(bytes, contentType));
    return value;
  } catch (cause) {
    throw new UpstreamError("unreadable", "returned a response that is not JSON.", { cause });
  }
}

function decode(bytes: Uint8Array, contentType: string | undefined): string {
  const charset = /charset="?([\w-]+)/i.exec(contentType ?? "")?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    // If the declared encoding is missing or wrong, it is nearly always Windows-1252, in which every byte is valid.
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
