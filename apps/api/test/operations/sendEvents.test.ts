import { exampleRequest, expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createInsightService, type InsightService } from "../../testing/insight-service.ts";
import { createTestService } from "../../testing/test-service.ts";

const id = "sendEvents";
let service: InsightService;
let token: string;
beforeAll(async () => {
  service = await createInsightService();
  token = await service.token({ scopes: ["search"] });
});
afterAll(() => service.close());

const clicks = async (): Promise<number> => (await service.insights()).json().totals.clicks;
const post = (payload: object | string, contentType = "application/json") =>
  service.app.inject({
    method: "POST",
    url: "/api/v1/events",
    headers: { authorization: `Bearer ${token}`, "content-type": contentType },
    payload,
  });

describe("202", () => {
  it("accepts events, and counts one for each search, product and type", async () => {
    const before = await clicks();
    const { queryId, Products } = await service.search("mug");
    const [one, other] = Products.map(({ _id }) => _id);
    const response = await post({
      events: [
        { type: "click", productId: one, queryId, position: 1 },
        { type: "click", productId: other, queryId },
        { type: "purchase", productId: one, queryId },
      ],
    });
    expectDocumented(id, 202, response);
    expect(response.json()).toEqual({ status: "success", accepted: 3 });
    await service.counted();
    await service.send([{ type: "click", productId: one, queryId }]);
    expect(await clicks()).toBe(before + 2);
  });

  it("ignores forged and old searches, and counts no unknown product", async () => {
    const before = await clicks();
    const { queryId, Products } = await service.search("mug");
    const productId = Products[0]?._id;
    expect(
      await service.send([{ type: "click", productId, queryId: `${queryId.slice(0, -4)}AAAA` }]),
    ).toEqual({
      status: 202,
      accepted: 0,
    });
    await service.send([{ type: "click", productId: "unknown", queryId }]);
    service.clock.nowMs += 25 * 3600 * 1000;
    expect(await service.send([{ type: "click", productId, queryId }])).toMatchObject({ accepted: 0 });
    expect(await clicks()).toBe(before);
  });

  it("accepts from a public token clicks with a search alone", async () => {
    const publicToken = await service.token({ scopes: ["search"], publicOrigins: ["*"] });
    const { queryId, Products } = await service.search("mug");
    const productId = Products[1]?._id;
    const events = [
      { type: "click", productId, queryId },
      { type: "click", productId },
      { type: "cart", productId, queryId },
      { type: "purchase", productId },
    ];
    expect(await service.send(events, publicToken)).toEqual({ status: 202, accepted: 1 });
    expect(await service.send(events)).toEqual({ status: 202, accepted: 4 });
  });

  it("accepts nothing where nothing is counted, and searches have no queryId then", async () => {
    const other = await createTestService();
    const own = await other.token({ scopes: ["search"] });
    const response = await other.app.inject(exampleRequest(id, own));
    expectDocumented(id, 202, response);
    expect(response.json().accepted).toBe(0);
    const search = await other.app.inject(exampleRequest("searchCatalog", own));
    expect(search.json()).not.toHaveProperty("queryId");
    await other.close();
  });
});

describe("400", () => {
  it.each([
    ["no events", { events: [] }, /events/],
    [
      "too many",
      { events: Array.from({ length: 101 }, () => ({ type: "click", productId: "a" })) },
      /events/,
    ],
    ["another type", { events: [{ type: "view", productId: "a" }] }, /type/],
    ["no product", { events: [{ type: "click" }] }, /productId/],
    ["a position of 0", { events: [{ type: "click", productId: "a", position: 0 }] }, /position/],
    ["another field", { events: [{ type: "click", productId: "a", user: "jane" }] }, /user/],
  ])("for %s", async (_, body, message) => {
    expectInvalid(id, message, await post(body));
  });
});

describe("413", () => {
  it("for a body above the limit", async () => {
    expectDocumented(id, 413, await post({ events: "x".repeat(10 * 1024 * 1024) }));
  });
});

describe("415", () => {
  it("for another media type", async () => {
    expectDocumented(id, 415, await post("click", "text/plain"));
  });
});
