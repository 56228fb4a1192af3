import { describe, expect, it } from "vitest";
import { pauseBefore, secondsOf } from "../src/create-caller.ts";
import { createClient, withResponse } from "../src/index.ts";
import { callOf } from "./calls.ts";
import {
  type DocumentedOperation,
  documentedOperations,
  documentedResponses,
} from "./documented-operations.ts";
import { respondWithJson, startService } from "./service.ts";

describe("retries", () => {
  /** Other requests than GET change something, except the searches that take a body. */
  const searchesByPost = [
    "searchCatalogBatch",
    "vectorizeImage",
    "detectObjects",
    "searchBrands",
    "deepSearch",
    "previewRule",
  ];
  const onlyReads = ({ method, operationId }: DocumentedOperation) =>
    method === "GET" || searchesByPost.includes(operationId);
  const idsOf = (operations: DocumentedOperation[]) => operations.map(({ operationId }) => operationId);
  const reading = idsOf(documentedOperations.filter(onlyReads));
  const changing = idsOf(documentedOperations.filter((operation) => !onlyReads(operation)));
  const takingKey = idsOf(documentedOperations.filter(({ takesIdempotencyKey }) => takesIdempotencyKey));
  const soon = { "retry-after": "0" };

  function successOf(operationId: string) {
    const found = documentedResponses.find(
      (response) => response.operationId === operationId && response.status < 400,
    );
    if (!found) throw new Error(`${operationId} documents no success.`);
    return found;
  }

  /** A service whose first responses report overload. */
  function startRecovering(operationId: string, failures: number, status = 503) {
    const { status: success, body } = successOf(operationId);
    return startService((response, _received, count) =>
      count <= failures
        ? respondWithJson(response, status, {}, soon)
        : respondWithJson(response, success, body, soon),
    );
  }

  describe("retries", () => {
    it.each(reading)("%s, which only reads", async (operationId) => {
      const { client, received } = await startRecovering(operationId, 2);
      expect(await callOf(operationId).call(client)).toEqual(successOf(operationId).body);
      expect(received).toHaveLength(3);
      expect(received[2]).toMatchObject(callOf(operationId).request);
    });

    it.each(takingKey)("%s with an idempotency key, the same each time", async (operationId) => {
      const { client, received } = await startRecovering(operationId, 1);
      const withKey = { idempotencyKey: "key-1" };
      await callOf(operationId).call(client, withKey);
      expect(received.map(({ headers }) => headers["idempotency-key"])).toEqual(["key-1", "key-1"]);
    });

    it.each(takingKey)(
      "%s with a key of its own, the same for each retry and another for each call",
      async (operationId) => {
        const { client, received } = await startRecovering(operationId, 1);
        await callOf(operationId).call(client);
        await callOf(operationId).call(client);
        const keys = received.map(({ headers }) => headers["idempotency-key"]);
        expect(keys).toEqual([keys[0], keys[0], keys[2]]);
        expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
        expect(keys[2]).not.toBe(keys[0]);
      },
    );

    it("while the first request with the key is still running", async () => {
      const inFlight = { success: false, message: "Conflict", error: "…", code: "idempotency_in_flight" };
      const { client, received } = await startService((response, _received, count) =>
        count === 1
          ? respondWithJson(response, 409, inFlight, soon)
          : respondWithJson(response, 201, successOf("createWebhook").body),
      );
      await callOf("createWebhook").call(client);
      expect(received).toHaveLength(2);
    });

    it.each([429, 502, 503, 504])("after %i", async (status) => {
      const { client, received } = await startRecovering("searchTrial", 1, status);
      await callOf("searchTrial").call(client);
      expect(received).toHaveLength(2);
    });

    it("after a connection error, before or during the response", async () => {
      const { client, received } = await startService((response, _received, count) => {
        if (count === 1) response.destroy();
        else if (count === 2)
          response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy());
        else respondWithJson(response, 200, successOf("searchTrial").body);
      });
      await client.searchTrial({ q: "mug" });
      expect(received).toHaveLength(3);
    });
  });

  describe("does not retry", () => {
    it.each(changing.filter((one) => !takingKey.includes(one)))(
      "%s, which takes no key",
      async (operationId) => {
        const { client, received } = await startRecovering(operationId, 1);
        await expect(callOf(operationId).call(client)).rejects.toMatchObject({ status: 503 });
        expect(received).toHaveLength(1);
      },
    );

    it.each([400, 401, 403, 404, 409, 413, 415, 500])("after %i", async (status) => {
      const { client, received } = await startRecovering("searchTrial", 1, status);
      await expect(callOf("searchTrial").call(client)).rejects.toMatchObject({ status });
      expect(received).toHaveLength(1);
    });

    it("more often than configured", async () => {
      const { baseUrl, received } = await startRecovering("searchTrial", 9);
      const client = createClient({ baseUrl, retries: 1 });
      await expect(client.searchTrial({ q: "mug" })).rejects.toMatchObject({ status: 503 });
      expect(received).toHaveLength(2);
      await expect(client.searchTrial({ q: "mug" }, { retries: 0 })).rejects.toMatchObject({ status: 503 });
      expect(received).toHaveLength(3);
    });

    it("if Retry-After is longer than the time left, and throws the error at once", async () => {
      const { client, received } = await startService((response) =>
        respondWithJson(response, 429, {}, { "retry-after": "60" }),
      );
      await expect(client.searchTrial({ q: "mug" }, { timeoutMs: 5000 })).rejects.toMatchObject({
        status: 429,
        retryAfter: 60,
      });
      expect(received).toHaveLength(1);
    });
  });

  describe("the pause", () => {
    const spread = (...arguments_: Parameters<typeof pauseBefore>) =>
      Array.from({ length: 500 }, () => pauseBefore(...arguments_));

    it("doubles up to 8 seconds, with a jitter of up to half", () => {
      for (const [tried, ceiling] of [
        [0, 500],
        [1, 1000],
        [3, 4000],
        [9, 8000],
      ] as const) {
        const pauses = spread(tried, undefined);
        expect(Math.min(...pauses)).toBeGreaterThanOrEqual(ceiling / 2);
        expect(Math.max(...pauses)).toBeLessThanOrEqual(ceiling);
        expect(new Set(pauses).size).toBeGreaterThan(400);
      }
    });
    it("is the time in Retry-After (seconds or a date) plus a little jitter", () => {
      for (const retryAfter of ["7", new Date(Math.ceil(Date.now() / 1000) * 1000 + 7000).toUTCString()]) {
        const pauses = spread(0, secondsOf(retryAfter));
        expect(Math.min(...pauses)).toBeGreaterThanOrEqual(7000);
        expect(Math.max(...pauses)).toBeLessThanOrEqual(8300);
      }
      expect(Math.max(...spread(0, secondsOf("Sat, 01 Jan 2000 00:00:00 GMT")))).toBeLessThanOrEqual(250);
    });
    it("ignores an invalid Retry-After", () => {
      for (const retryAfter of ["soon", "-5", "1.5", ""])
        expect(Math.max(...spread(0, secondsOf(retryAfter)))).toBeLessThanOrEqual(500);
      expect(Math.min(...spread(0, secondsOf("-5")))).toBeGreaterThanOrEqual(250);
    });
    it("is at most a day, which a timer can still wait", () => {
      for (const retryAfter of ["9999999999", "9".repeat(400), "Fri, 01 May 2099 12:00:00 GMT"]) {
        const pauses = spread(0, secondsOf(retryAfter));
        expect(Math.min(...pauses)).toBeGreaterThanOrEqual(86_400_000);
        expect(Math.max(...pauses)).toBeLessThan(86_400_251);
      }
    });
  });
});

describe("hooks", () => {
  const found = { status: "success", Products: [] };
  const soon = { "retry-after": "0" };

  describe("headers", () => {
    it("of the client are sent with every call; those of a call replace them", async () => {
      const { baseUrl, received } = await startService((response) => respondWithJson(response, 200, found));
      const client = createClient({
        baseUrl,
        token: "pss_test",
        headers: { "x-shop": "one", "x-team": "a" },
      });
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
});
