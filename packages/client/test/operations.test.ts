import { describe, expect, it } from "vitest";
import { createClient } from "../src/index.ts";
import { callOf } from "./calls.ts";
import { documentedResponses } from "./documented-operations.ts";
import { respondWithJson, startService } from "./service.ts";

describe("operations", () => {
  describe.each(documentedResponses.filter(({ status }) => status < 400))(
    "$operationId",
    ({ operationId, status, body }) => {
      it("sends the documented request and returns the body of the response", async () => {
        const { client, received } = await startService((response) =>
          respondWithJson(response, status, body),
        );
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
      respondWithJson(
        response,
        200,
        { status: "success", Products: [] },
        { ratelimit: '"token";r=2999;t=30' },
      ),
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
});

const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 31) % 256);
const base64 = Buffer.from(bytes).toString("base64");

const startImageService = () =>
  startService((response, { path }) =>
    path.endsWith("/vectorize-image")
      ? respondWithJson(response, 200, { status: "success", slug: "img_1" })
      : respondWithJson(response, 200, { status: "success", Products: [] }),
  );

describe("searchByImage", () => {
  it.each([
    ["bytes", bytes],
    ["a part of a larger buffer", new Uint8Array([0, ...bytes, 0]).subarray(1, -1)],
    ["an ArrayBuffer", bytes.buffer],
    ["a Blob", new Blob([bytes])],
    ["base64", base64],
  ])("does both steps for %s", async (_name, image) => {
    const { client, received } = await startImageService();
    expect(await client.searchByImage(image)).toEqual({ status: "success", Products: [] });
    expect(received.map(({ path, query, body }) => ({ path, query, body }))).toEqual([
      { path: "/api/v1/vectorize-image", query: {}, body: { base64String: base64 } },
      { path: "/api/v1/search", query: { imageId: "img_1" }, body: undefined },
    ]);
  });

  it("leaves out categories from the search for an uploaded image", async () => {
    const { client, received } = await startImageService();
    await client.searchByImage({ imageId: "img_1", withoutCategories: ["Cups, mugs", "Vases"] });
    await client.searchByImage({ imageId: "img_1", withoutCategories: [] });
    expect(received.map(({ path, query }) => ({ path, query }))).toEqual([
      { path: "/api/v1/search", query: { imageId: "img_1", withoutCategories: "Cups\\, mugs,Vases" } },
      { path: "/api/v1/search", query: { imageId: "img_1" } },
    ]);
  });

  it("has one deadline for both requests", async () => {
    const { client, received } = await startService((response, { path }) => {
      if (path.endsWith("/vectorize-image")) {
        setTimeout(() => respondWithJson(response, 200, { status: "success", slug: "img_1" }), 200);
      }
    });
    await expect(client.searchByImage("AAAA", { timeoutMs: 500 })).rejects.toMatchObject({ code: "timeout" });
    expect(received).toHaveLength(2);
  });
});

describe("pages", () => {
  const startPages = (last: number) =>
    startService((response, { query }) => {
      const page = Number(query.page);
      respondWithJson(response, 200, { status: "success", Products: [], page, hasMore: page < last });
    });

  it.each(["marketplaceAPages", "marketplaceBPages", "catalogPages"] as const)(
    "%s yields all pages and stops",
    async (method) => {
      const { client, received } = await startPages(3);
      const pages: number[] = [];
      for await (const { page } of client[method]({ q: "mug", count: 10 })) pages.push(page);
      expect(pages).toEqual([1, 2, 3]);
      expect(received.map(({ query }) => query)).toEqual(
        [1, 2, 3].map((page) => ({ q: "mug", count: "10", page: `${page}` })),
      );
    },
  );

  it("priceHistoryPages follows the cursor to the end", async () => {
    const { client, received } = await startService((response, { query }) => {
      const at = Number(query.cursor ?? 0);
      respondWithJson(response, 200, {
        status: "success",
        priceHistory: [{ price: at, date: "2026-01-01T00:00:00Z", _id: `${at}` }],
        ...(at < 2 && { nextCursor: `${at + 1}` }),
      });
    });
    const prices: number[] = [];
    for await (const { priceHistory } of client.priceHistoryPages("p_1", { from: "2026-01-01", limit: 1 }))
      prices.push(...priceHistory.map(({ price }) => price));
    expect(prices).toEqual([0, 1, 2]);
    expect(received.map(({ query }) => query)).toEqual([
      { from: "2026-01-01", limit: "1" },
      { from: "2026-01-01", limit: "1", cursor: "1" },
      { from: "2026-01-01", limit: "1", cursor: "2" },
    ]);
  });

  it("starts at the given page and requests no page in advance", async () => {
    const { client, received } = await startPages(9);
    for await (const { page } of client.marketplaceAPages({ q: "mug", page: 4 })) if (page === 5) break;
    expect(received.map(({ query }) => query.page)).toEqual(["4", "5"]);
  });

  it("stops at an error", async () => {
    const { client } = await startService((response, { query }) =>
      query.page === "1"
        ? respondWithJson(response, 200, { status: "success", Products: [], page: 1, hasMore: true })
        : respondWithJson(response, 500, {}),
    );
    const pages = client.marketplaceAPages({ q: "mug" });
    expect(await pages.next()).toMatchObject({ value: { page: 1 } });
    await expect(pages.next()).rejects.toMatchObject({ status: 500 });
  });
});

describe("upsert products", () => {
  const counts = { created: 0, changed: 0, unchanged: 0, deleted: 0, notFound: 0 };

  it("sends rows of a stream in requests of at most 1000, each with a key of its own, and adds up the responses", async () => {
    const { client, received } = await startService((response, _received, count) =>
      respondWithJson(response, 200, {
        ...counts,
        ...{ status: "success", created: count, rejectedCount: 1 },
        rejected: [{ index: 3, field: "price", message: "is missing" }],
      }),
    );
    async function* rows() {
      for (let at = 0; at < 2100; at += 1) yield { _id: `${at}`, deleted: true };
    }
    const total = await client.upsertProducts(rows());
    expect(received.map(({ body }) => Object(body).products.length)).toEqual([1000, 1000, 100]);
    expect(new Set(received.map(({ headers }) => headers["idempotency-key"])).size).toBe(3);
    expect(total).toMatchObject({ created: 6, rejectedCount: 3 });
    expect(total.rejected.map(({ index }) => index)).toEqual([3, 1003, 2003]);
  });

  it("keeps bodies small, and makes other keys of a given one", async () => {
    const { client, received } = await startService((response) =>
      respondWithJson(response, 200, { status: "success", ...counts, rejected: [], rejectedCount: 0 }),
    );
    const rows = Array.from({ length: 4 }, (_, at) => ({ _id: `${at}`, description: "ä".repeat(1_200_000) }));
    await client.upsertProducts(rows, { idempotencyKey: "night" });
    expect(received.map(({ headers }) => headers["idempotency-key"])).toEqual(["night", "night-2"]);
  });

  const firstOnly = () =>
    startService((response, _received, count) =>
      count === 1
        ? respondWithJson(response, 200, { status: "success", ...counts, created: 999, ...oneRejected })
        : respondWithJson(response, 400, {
            status: "error",
            message: "products[0].name: is missing.",
            code: "invalid_request",
            requestId: "r",
          }),
    );
  const oneRejected = { rejected: [{ index: 3, field: "price", message: "is missing" }], rejectedCount: 1 };
  const rowsOf = (number: number) =>
    Array.from({ length: number }, (_, at) => ({ _id: `${at}`, deleted: true }));

  it("says in the error of a later request what the earlier ones wrote", async () => {
    const { client } = await firstOnly();
    const error = await client.upsertProducts(rowsOf(1500)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: "invalid_request",
      written: { created: 999, rows: 1000, ...oneRejected },
    });
  });

  it("says it, too, when the stream of rows breaks off", async () => {
    const { client } = await firstOnly();
    async function* broken() {
      yield* rowsOf(1001);
      throw new Error("The file ended.");
    }
    const error = await client.upsertProducts(broken()).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ message: "The file ended.", written: { created: 999, rows: 1000 } });
  });

  it("does not split a group, and keeps the places of rows", async () => {
    const { client, received } = await startService((response, _received, count) =>
      respondWithJson(response, 200, {
        ...{ status: "success", ...counts, rejectedCount: 1, notFoundKeys: [`k${count}`] },
        ...{ rejected: [{ index: 0, field: "price", message: "is missing" }], ignoredFields: ["weight"] },
      }),
    );
    const row = (_: unknown, at: number) => ({ _id: `${at}`, groupId: `g${at % 300}` });
    const rows = Array.from({ length: 1500 }, row);
    const total = await client.upsertProducts(rows, { replaceGroups: true });
    const groups = received.map(
      ({ body }) => new Set(Object(body).products.map((one: object) => Object(one).groupId)),
    );
    expect(groups.map(({ size }) => size)).toEqual([200, 100]);
    expect(Object(received[0]?.body).replaceGroups).toBe(true);
    expect(total).toMatchObject({ notFoundKeys: ["k1", "k2"], ignoredFields: ["weight"] });
    expect(total.rejected.map(({ index }) => index)).toEqual([0, 200]);

    const runs = Array.from({ length: 1002 }, (_, at) => ({
      _id: `${at}`,
      groupId: at < 998 ? `${at}` : "last",
    }));
    await client.upsertProducts(runs);
    expect(received.slice(2).map(({ body }) => Object(body).products.length)).toEqual([998, 4]);
    const tooMany = Array.from({ length: 1001 }, () => ({ _id: "x", groupId: "all" }));
    await expect(client.upsertProducts(tooMany, { replaceGroups: true })).rejects.toThrow("1001 rows");
  });

  it("sends nothing when there is nothing", async () => {
    const { client, received } = await startService((response) => respondWithJson(response, 500, {}));
    expect(await client.upsertProducts([])).toMatchObject({ ...counts, rejected: [] });
    expect(received).toEqual([]);
  });
});
