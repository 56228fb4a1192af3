import { Readable } from "node:stream";
import type { EventStream } from "@product-search/features/handler.ts";
import type { FastifyReply } from "fastify";

/** Sends named events as they arrive (WHATWG HTML, server-sent events). */
export function sendEvents(reply: FastifyReply, events: EventStream): FastifyReply {
  return reply
    .header("content-type", "text/event-stream; charset=utf-8")
    .header("cache-control", "no-store")
    .header("x-accel-buffering", "no")
    .send(Readable.from(encode(events)));
}

async function* encode(events: EventStream): AsyncGenerator<string> {
  for await (const { event, data } of events) {
    yield `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}
