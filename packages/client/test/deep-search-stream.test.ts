import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { createClient, type DeepSearchEvent } from "../src/index.ts";
import { respondWithJson, startService } from "./service.ts";

const result = {
  query: "a mug",
  aiResponse: "Nothing matches ☕.",
  description: "Mugs",
  suggestions: [],
  otherOptions: { relatedSearches: [], filters: [], categories: [] },
  productCount: 0,
  topProducts: [],
};
const events: DeepSearchEvent[] = [
  { type: "products", productCount: 0, topProducts: [] },
  { type: "delta", text: "Nothing matches ☕." },
  { type: "done", writer: "built-in", data: result },
];
const written = (all: object[], lineEnd = "\n") =>
  all.map((event) => `event: x${lineEnd}data: ${JSON.stringify(event)}${lineEnd}${lineEnd}`).join("");

function open(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "request-1" });
}
async function collected(stream: AsyncGenerator<DeepSearchEvent, void>) {
  const all: DeepSearchEvent[] = [];
  for await (const event of stream) all.push(event);
  return all;
}

it("requests a stream and yields its events", async () => {
  const { client, received } = await startService((response) => open(response).end(written(events)));
  expect(await collected(client.deepSearchStream({ query: "a mug" }))).toEqual(events);
  expect(received[0]).toMatchObject({
    method: "POST",
    path: "/api/v1/deep-search",
    body: { query: "a mug" },
  });
  expect(received[0]?.headers.accept).toBe("text/event-stream");
});

it.each(["\n", "\r\n", "\r"])("reads lines that end in %j, however the bytes are cut", async (lineEnd) => {
  // The data of the first event has two lines, so that a wrong end of event would cut it.
  const torn = written(events, lineEnd).replace(',"productCount"', `,${lineEnd}data: "productCount"`);
  const bytes = Buffer.from(`: comment${lineEnd}retry: 5${lineEnd}${lineEnd}${torn}`);
  for (const size of [1, 3, 7]) {
    const body = inPieces(bytes, size);
    const headers = { "content-type": "text/event-stream" };
    const client = createClient({
      baseUrl: "https://search.example/api/v1",
      fetch: async () => new Response(body, { headers }),
    });
    expect(await collected(client.deepSearchStream({ query: "a mug" }))).toEqual(events);
  }
});

function inPieces(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let start = 0; start < bytes.length; start += size) {
        controller.enqueue(bytes.subarray(start, start + size));
      }
      controller.close();
    },
  });
}

it("joins the data lines of an event and ignores unknown fields and events", async () => {
  const unknown = 'data: {"type":"later version"}\n\ndata: no JSON\n\ndata:null\n\n';
  const { client } = await startService((response) =>
    open(response).end(`${unknown}data:{"type":"delta",\ndata:"text":"Hm."}\n\n${written(events.slice(2))}`),
  );
  const all = await collected(client.deepSearchStream({ query: "a mug" }));
  expect(all).toEqual([{ type: "delta", text: "Hm." }, events[2]]);
});

describe("throws", () => {
  it("the error of an `error` event", async () => {
    const body = {
      type: "error",
      status: "error",
      message: "Overloaded.",
      code: "unavailable",
      requestId: "request-1",
    };
    const { client } = await startService((response) =>
      open(response).end(written([...events.slice(0, 2), body])),
    );
    await expect(collected(client.deepSearchStream({ query: "a mug" }))).rejects.toMatchObject({
      code: "unavailable",
      status: 503,
      requestId: "request-1",
      message: "Overloaded.",
    });
  });
  it("when the stream ends early", async () => {
    const { client } = await startService((response) => open(response).end(written(events.slice(0, 2))));
    await expect(collected(client.deepSearchStream({ query: "a mug" }))).rejects.toThrow(
      /ended before its answer was complete/,
    );
  });
  it("when the connection breaks, without a retry", async () => {
    const { client, received } = await startService((response) => {
      open(response).write(written(events.slice(0, 1)), () => setTimeout(() => response.destroy(), 50));
    });
    await expect(collected(client.deepSearchStream({ query: "a mug" }))).rejects.toMatchObject({
      code: "network_error",
      message: expect.stringMatching(/^POST http:.*\/deep-search: the connection failed/),
    });
    expect(received).toHaveLength(1);
  });
  it("when the time limit is reached", async () => {
    const { client } = await startService((response) => open(response).write(written(events.slice(0, 1))));
    const stream = client.deepSearchStream({ query: "a mug" }, { timeoutMs: 200 });
    await expect(collected(stream)).rejects.toMatchObject({ code: "timeout" });
  });
  it("the caller's reason when aborted", async () => {
    const controller = new AbortController();
    const { client } = await startService((response) => open(response).write(written(events.slice(0, 1))));
    const stream = client.deepSearchStream({ query: "a mug" }, { signal: controller.signal });
    expect(await stream.next()).toMatchObject({ value: { type: "products" } });
    controller.abort(new Error("no longer wanted"));
    await expect(stream.next()).rejects.toThrow("no longer wanted");
  });
  it("the error response of the service", async () => {
    const { client } = await startService((response) =>
      respondWithJson(response, 400, { code: "invalid_request" }),
    );
    await expect(collected(client.deepSearchStream({ query: "" }))).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});

it("retries until the stream has started", async () => {
  const { client, received } = await startService((response, _received, count) => {
    if (count === 1) respondWithJson(response, 503, {}, { "retry-after": "0" });
    else open(response).end(written(events));
  });
  expect(await collected(client.deepSearchStream({ query: "a mug" }))).toHaveLength(3);
  expect(received).toHaveLength(2);
});

it("closes the connection when the consumer stops early", async () => {
  let closed: () => void = () => {};
  const hasClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const { client } = await startService((response) => {
    response.on("close", closed);
    open(response).write(written(events.slice(0, 1)));
  });
  for await (const event of client.deepSearchStream({ query: "a mug" })) if (event.type === "products") break;
  await hasClosed;
});
