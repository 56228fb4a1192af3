import type { EventStream } from "@product-search/features/handler.ts";

export interface Response {
  statusCode: number;
  headers: Record<string, string>;
  /** Text is sent as it is, events one by one, bytes under their own type, everything else as JSON. */
  body?: unknown;
}

export function isEventStream(body: unknown): body is EventStream {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}
