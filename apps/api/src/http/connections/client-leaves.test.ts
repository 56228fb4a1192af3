import { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";

let service: TestService;
let signal: AbortSignal | undefined;
let root: string;
const lines: { level: number; msg: string }[] = [];

beforeAll(async () => {
  service = await createTestService({
    logger: pino(
      new Writable({
        write: (chunk, _encoding, done) => {
          lines.push(JSON.parse(String(chunk)));
          done();
        },
      }),
    ),
    handlers: (handlers) => ({
      ...handlers,
      deepSearch: async (input, context) => {
        signal = context.signal;
        await delay(50);
        signal.throwIfAborted();
        return handlers.deepSearch(input, context);
      },
      searchBrands: async (_input, context) => {
        signal = context.signal;
        await delay(60_000, undefined, { signal });
        throw new Error("nobody left");
      },
    }),
  });
  root = await service.app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(() => service.close());

async function post(path: string, leaving?: AbortSignal): Promise<Response> {
  return fetch(`${root}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${await service.token()}`, "content-type": "application/json" },
    body: JSON.stringify({ query: "lamp" }),
    ...(leaving && { signal: leaving }),
  });
}

it("lets a handler continue after the body was read", async () => {
  const response = await post("/deep-search");
  expect(response.status).toBe(200);
  await response.text();
  await delay(20);
  expect(signal?.aborted).toBe(false);
});

it("aborts the signal of a handler when its client disconnects", async () => {
  // Not that of the request before, which would let the client leave before the handler has begun.
  signal = undefined;
  const leaving = new AbortController();
  const response = post("/search/brands", leaving.signal).catch((error: Error) => error.name);
  await vi.waitFor(() => expect(signal?.aborted).toBe(false), { timeout: 60_000 });
  await delay(50);
  leaving.abort();
  expect(await response).toBe("AbortError");
  await vi.waitFor(() => expect(signal?.aborted).toBe(true), { timeout: 60_000 });
  await delay(20);
  expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
});

it("gives a handler an aborted signal when its client has left before it began", async () => {
  const authentication = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  let isAborted: boolean | undefined;
  const late = await createTestService({
    handlers: (handlers) => ({
      ...handlers,
      searchBrands: async (_input, context) => {
        isAborted = context.signal.aborted;
        throw new Error("nobody waits");
      },
    }),
  });
  late.app.addHook("preHandler", async (request) => {
    request.raw.socket.once("close", () => left.resolve());
    authentication.resolve();
    await left.promise;
    await delay(5);
  });
  const address = await late.app.listen({ host: "127.0.0.1", port: 0 });
  const leaving = new AbortController();
  const sent = fetch(`${address}/api/v1/search/brands`, {
    method: "POST",
    headers: { authorization: `Bearer ${await late.token()}`, "content-type": "application/json" },
    body: JSON.stringify({ query: "lamp" }),
    signal: leaving.signal,
  }).catch(() => undefined);
  await authentication.promise;
  leaving.abort();
  await sent;
  await vi.waitFor(() => expect(isAborted).toBe(true), { timeout: 60_000 });
  await late.close();
});
