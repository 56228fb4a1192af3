import { describe, expect, it } from "vitest";
import { createClient } from "../src/index.ts";
import { callOf } from "./calls.ts";
import { documentedResponses } from "./documented-operations.ts";
import { respondWithJson, startService } from "./service.ts";

describe.each(documentedResponses.filter(({ status }) => status < 400))(
  "$operationId",
  ({ operationId, status, body }) => {
    it("sends the documented request and returns the body of the response", async () => {
      const { client, received } = await startService((response) => respondWithJson(response, status, body));
      const { call, request } = callOf(operationId);
      expect(await call(client)).toEqual(body);
      expect(received).toHaveLength(1);
      expect({ ...received[0], headers: undefined }).toEqual(request);
      expect(received[0]?.headers.authorization).toBe("Bearer pss_test");
    });
  },
);

describe.each(documentedResponses.filter(({ status }) => status >= 400))(
  "$operationId $status",
  ({ operationId, status, body }) => {
    it("throws the documented error", async () => {
      const { client } = await startService((response) =>
        respondWithJson(response, status, body, { "x-request-id": "request-1", "retry-after": "900" }),
      );
      const { call } = callOf(operationId);
      await expect(call(client, { retries: 0 })).rejects.toMatchObject({
        name: "ProductSearchError",
        status,
        code: body.code,
        body,
        requestId: "request-1",
      });
    });
  },
);

it("sends no Authorization without a token, and no body if there is none", async () => {
  const { baseUrl, received } = await startService((response) =>
    respondWithJson(response, 200, { status: "success", Products: [] }),
  );
  await createClient({ baseUrl }).searchTrial({ q: "mug" });
  expect(received[0]?.headers).not.toHaveProperty("authorization");
  expect(received[0]?.headers).not.toHaveProperty("content-type");
});

it("rotates a key without a body unless former keys are revoked", async () => {
  const { client, received } = await startService((response) =>
    respondWithJson(response, 200, { success: true, message: "", data: {} }),
  );
  await client.rotateWebhookKey("wh_1");
  expect(received[0]).toMatchObject({ path: "/api/v1/webhooks/wh_1/rotate-key", body: undefined });
  expect(received[0]?.headers).not.toHaveProperty("content-type");
});

it("passes each raw response to onResponse, with readable headers", async () => {
  const { baseUrl } = await startService((response) =>
    respondWithJson(response, 200, { status: "success", Products: [] }, { ratelimit: '"token";r=2999;t=30' }),
  );
  const limits: (string | null)[] = [];
  const onResponse = ({ headers }: Response) => limits.push(headers.get("ratelimit"));
  await createClient({ baseUrl, onResponse }).searchTrial({ q: "mug" });
  expect(limits).toEqual(['"token";r=2999;t=30']);
});

it("uses the given fetch", async () => {
  const urls: string[] = [];
  const fetch = async ({ url }: Request) => {
    urls.push(url);
    return Response.json({ status: "success", Products: [] });
  };
  await createClient({ baseUrl: "https://search.example/api/v1/", fetch }).searchTrial({ q: "é" });
  expect(urls).toEqual(["https://search.example/api/v1/search/trial?q=%C3%A9"]);
});

it.each(["", "search.example", "/api/v1", "ftp://search.example"])("refuses the base URL %j", (baseUrl) => {
  expect(() => createClient({ baseUrl })).toThrow(/baseUrl: .* is not an http\(s\) URL/);
});

it.each([
  { timeoutMs: 0 },
  { timeoutMs: 2 ** 31 },
  { timeoutMs: Number.NaN },
  { retries: -1 },
  { retries: 1.5 },
])("refuses %j", async (options) => {
  const client = createClient({ baseUrl: "https://search.example/api/v1", ...options });
  await expect(client.searchTrial({ q: "mug" })).rejects.toThrow(RangeError);
});
