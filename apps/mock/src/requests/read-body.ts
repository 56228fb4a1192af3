import type { IncomingMessage } from "node:http";
import { ApiError } from "@product-search/core/errors.ts";
import { bodyTooLarge } from "@product-search/http-rules/responses/response-body.ts";

/** The text of a request's body; empty when there is none. */
export async function readText(request: IncomingMessage, maxBodyBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  // Read to its end even when it is too large: a client sees the response only after it has sent all.
  for await (const piece of request) {
    size += piece.length;
    if (size <= maxBodyBytes) pieces.push(piece);
  }
  if (size > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
  return Buffer.concat(pieces).toString("utf8");
}

/** Undefined for an empty body. Keys that would change an object's prototype are refused where the service does. */
export function parseJson(text: string, operationId?: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text, (key, value) => {
      if (key === "__proto__" && operationId !== "upsertProducts")
        throw new SyntaxError("__proto__ is not a field.");
      return value;
    });
  } catch (cause) {
    throw new ApiError("invalid_request", "body: is not valid JSON. Send one JSON object.", { cause });
  }
}
