import { describe, expect, it } from "vitest";
import { createClient, withResponse } from "../src/index.ts";
import { respondWithJson, startService } from "./service.ts";

const found = { status: "success", Products: [] };
const soon = { "retry-after": "0" };

describe("headers", () => {
  it("of the client are sent with every call; those of a call replace them", async () => {
    const { baseUrl, received } = await startService((response) => respondWithJson(response, 200, found));
    const client = createClient({ baseUrl, token: "pss_test", headers: { "x-shop": "one", "x-team": "a" } });
    await client.searchTrial({ q: "mug" });
    await client.searchTrial({ q: "mug" }, { headers: { "X-Shop": "two" } });
    expect(
      received.map(({ headers }) => [headers["x-shop"], headers["x-team"], headers.authorization]),
    ).toEqual([
      ["one", "a", "Bearer pss_test"],
      ["two", "a", "Bearer pss_test"],
    ]);
  });
});

describe("hooks", () => {
  it("are called for each request, its response or its error, including retries", async () => {
    const { baseUrl } = await startService((response, _received, count) => {
      if (count === 1) response.destroy();
      else respondWithJson(response, count === 2 ? 503 : 200, count === 2 ? {} : found, soon);
    });
    const seen: string[] = [];
    const nameOf = ({ method, url }: Request) => `${method} ${new URL(url).pathname}`;
    const client = createClient({
      baseUrl,
      onRequest: (request) => seen.push(`before ${nameOf(request)}`),
      onResponse: (response, request) => seen.push(`${response.status} ${nameOf(request)}`),
      onError: (error, request) => seen.push(`${Reflect.get(Object(error), "code")} ${nameOf(request)}`),
    });
    await client.searchTrial({ q: "mug" });
    const path = "GET /api/v1/search/trial";
    expect(seen).toEqual([
      `before ${path}`,
      `network_error ${path}`,
      `before ${path}`,
      `503 ${path}`,
      `unexpected_response ${path}`,
      `before ${path}`,
      `200 ${path}`,
    ]);
  });

  it("before a request can change it, also asynchronously", async () => {
    const { baseUrl, received } = await startService((response) => respondWithJson(response, 200, found));
    const client = createClient({
      baseUrl,
      onRequest: async (request) => {
        const changed = new Request(request);
        changed.headers.set("traceparent", "00-1-2-01");
        return changed;
      },
    });
    await client.searchTrial({ q: "mug" });
    expect(received[0]?.headers.traceparent).toBe("00-1-2-01");
  });

  it("that throw end the call with their error", async () => {
    const { baseUrl, received } = await startService((response) => respondWithJson(response, 200, found));
    const client = createClient({
      baseUrl,
      onRequest: () => {
        throw new Error("no trace");
      },
    });
    await expect(client.searchTrial({ q: "mug" })).rejects.toThrow("no trace");
    expect(received).toHaveLength(0);
  });
});

describe("withResponse", () => {
  it("gives the body and the response of the last try", async () => {
    const { client } = await startService((response, _received, count) => {
      if (count === 1) respondWithJson(response, 503, {}, soon);
      else respondWithJson(response, 200, found, { ratelimit: '"token";r=41' });
    });
    const { data, response } = await withResponse(client.searchTrial({ q: "mug" }));
    expect(data).toEqual(found);
    expect(response.status).toBe(200);
    expect(response.headers.get("ratelimit")).toBe('"token";r=41');
  });

  it("throws the error of the call, and refuses the result of several requests", async () => {
    const { client } = await startService((response) => respondWithJson(response, 500, {}));
    await expect(withResponse(client.searchTrial({ q: "mug" }))).rejects.toMatchObject({ status: 500 });
    await expect(withResponse(client.upsertProducts([]))).rejects.toThrow("Use onResponse");
  });
});
