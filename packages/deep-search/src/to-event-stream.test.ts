import { ApiError } from "@product-search/core/errors.ts";
import { expect, it } from "vitest";
import type { DeepSearchEvent } from "./deep-search-event.ts";
import { toEventStream } from "./to-event-stream.ts";

async function* failAfter(count: number, error: Error): AsyncGenerator<DeepSearchEvent> {
  for (let sent = 0; sent < count; sent++) yield { type: "delta", text: String(sent) };
  throw error;
}

async function collect(events: AsyncIterable<DeepSearchEvent>) {
  const sent = [];
  for await (const event of await toEventStream(events, "request-1")) sent.push(event);
  return sent;
}

it("throws an error before the first event, so that it gets an error status", async () => {
  await expect(collect(failAfter(0, new Error("disk on fire")))).rejects.toThrow("disk on fire");
});

it("reports a later error in the stream without its cause", async () => {
  const sent = await collect(failAfter(1, new Error("disk on fire")));
  expect(sent).toEqual([
    { event: "delta", data: { type: "delta", text: "0" } },
    {
      event: "error",
      data: {
        type: "error",
        status: "error",
        message: "The answer failed because of an internal error. Try again.",
        code: "internal_error",
        requestId: "request-1",
      },
    },
  ]);
});

it("passes on the error that the service is not available", async () => {
  const sent = await collect(failAfter(1, new ApiError("unavailable", "Not ready yet.")));
  expect(sent.at(-1)).toMatchObject({ data: { code: "unavailable", message: "Not ready yet." } });
});

it("ends the search when the consumer stops", async () => {
  let ended = false;
  const endless = (async function* (): AsyncGenerator<DeepSearchEvent> {
    try {
      for (;;) yield { type: "delta", text: "." };
    } finally {
      ended = true;
    }
  })();
  for await (const _ of await toEventStream(endless, "request-1")) break;
  expect(ended).toBe(true);
});
