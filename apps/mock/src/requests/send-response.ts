import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Fault } from "./read-preferences.ts";
import { isEventStream, type Response } from "./response.ts";

const slowPieces = 10;
const slowPauseMs = 500;

const jsonHeaders = { "content-type": "application/json; charset=utf-8" };
const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/** Sends a response, or what a broken network would make of it. */
export async function sendResponse(
  response: ServerResponse,
  { statusCode, headers, body }: Response,
  fault?: Fault,
): Promise<void> {
  if (fault === "timeout") return;
  if (fault === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(statusCode, { ...(isEventStream(body) ? streamHeaders : jsonHeaders), ...headers });
  if (isEventStream(body)) return sendEvents(response, body);
  const content = body instanceof Uint8Array || typeof body === "string" ? body : JSON.stringify(body);
  // Half of it, as if whoever wrote it had stopped: the length fits, the JSON does not.
  if (fault === "malformed") response.end(content.slice(0, Math.floor(content.length / 2)));
  else if (fault === "slow") await sendSlowly(response, Buffer.from(content));
  else response.end(content);
}

async function sendEvents(
  response: ServerResponse,
  events: AsyncIterable<{ event: string; data: unknown }>,
): Promise<void> {
  for await (const { event, data } of events)
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  response.end();
}

async function sendSlowly(response: ServerResponse, content: Buffer): Promise<void> {
  const size = Math.max(1, Math.ceil(content.length / slowPieces));
  for (let start = 0; start < content.length && !response.destroyed; start += size) {
    response.write(content.subarray(start, start + size));
    await delay(slowPauseMs);
  }
  response.end();
}
