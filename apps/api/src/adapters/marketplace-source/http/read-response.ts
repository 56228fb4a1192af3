import type { Json } from "./profile/expression.ts";
import { UpstreamError } from "./upstream-error.ts";

/** The JSON of a response, whatever characters it was written in. */
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
    // Undeclared or wrongly declared, it is nearly always Windows' Western alphabet, in which every byte means something.
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
