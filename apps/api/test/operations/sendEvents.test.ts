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

  it("does not count forged and old searches, unknown products and repetitions", async () => {
    const before = await clicks();
    const { queryId, Products } = await service.search("mug");
    const productId = Products[0]?._id;
    const click = { type: "click", productId, queryId };
    expect(await service.send([{ ...click, queryId: `${queryId.slice(0, -4)}AAAA` }])).toEqual({
      status: 202,
      accepted: 0,
    });
    expect(await service.send([{ ...click, productId: "unknown" }])).toMatchObject({ accepted: 0 });
    expect(await service.send([click, click])).toMatchObject({ accepted: 1 });
    expect(await service.send([click])).toMatchObject({ accepted: 0 });
    service.clock.nowMs += 25 * 3600 * 1000;
    expect(await service.send([{ ...click, productId: Products[1]?._id }])).toMatchObject({ accepted: 0 });
    expect(await clicks()).toBe(before + 1);
  });

  it("says in the metrics why events did not count", async () => {
    const counted = async (outcome: string) => {
      const { body } = await service.app.inject({ url: "/metrics" });
      return Number(
        new RegExp(`^product_search_product_events_total{outcome="${outcome}"} (\\d+)`, "m").exec(
          body,
        )?.[1] ?? 0,
      );
    };
    const outcomes = ["counted", "repeated", "unknown_product"];
    const before = await Promise.all(outcomes.map(counted));
    const { queryId, Products } = await service.search("mug");
    const click = { type: "click", productId: Products[0]?._id, queryId };
    await service.send([click, click, { ...click, productId: "unknown" }]);
    const after = await Promise.all(outcomes.map(counted));
    expect(after).toEqual(before.map((count) => count + 1));
  });

  it("takes the key of a product", async () => {
    const { queryId, Products } = await service.search("mug");
    const id = Products[3]?._id ?? "";
    const key = (await service.stores.catalogStore.findById(id))?.key;
    const events = [{ type: "click", productId: key, queryId }];
    expect(await service.send(events)).toMatchObject({ accepted: 1 });
    expect(await service.send([{ type: "click", productId: id, queryId }])).toMatchObject({ accepted: 0 });
  });

  describe("from a public token", () => {
    const publicToken = () => service.token({ scopes: ["search"], publicOrigins: ["*"] });
    const click = (productId: string | undefined, queryId?: string) => ({
      type: "click",
      productId,
      ...(queryId !== undefined && { queryId }),
    });

    it("counts clicks on what the search finds, on every page and under its filters, and nothing else", async () => {
      service.clock.nowMs += 25 * 3600 * 1000;
      const everything = await service.search("mug", { count: "50" });
      const { queryId, Products } = await service.search("mug", { count: "1", priceRange: "[0,100000]" });
      const prices = everything.Products.map(({ price }) => price).toSorted((one, other) => one - other);
      const cheap = await service.search("mug", { priceRange: `[0,${prices[9]}]`, count: "50" });
      const send = async (...events: object[]) => (await service.send(events, await publicToken())).accepted;
      const ids = everything.Products.map(({ _id }) => _id);
      const found = new Set(cheap.Products.map(({ _id }) => _id));
      const other = ids.find((id) => !found.has(id));
      expect(found.size).toBeGreaterThan(0);
      expect(await send(click(ids.at(-1), queryId), click(Products[0]?._id, queryId))).toBe(2);
      expect(await send(click(other, cheap.queryId))).toBe(0);
      expect(await send(click(ids[2]))).toBe(0);
      expect(queryId.length).toBeLessThanOrEqual(1000);
    });

    it("knows what a search showed whose filters have no room in the queryId", async () => {
      service.clock.nowMs += 25 * 3600 * 1000;
      const others = Array.from({ length: 40 }, (_, i) => `Brand number ${i}`).join(",");
      const wide = { brands: `Nordlys,${others}`, count: "2" };
      const { queryId, Products } = await service.search("mug", wide);
      expect(queryId.length).toBeLessThanOrEqual(1000);
      const shown = Products.map(({ _id }) => _id);
      const all = await service.search("mug", { count: "50" });
      const hidden = all.Products.find(({ _id }) => !shown.includes(_id))?._id;
      const { accepted } = await service.send(
        [click(shown[1], queryId), click(hidden, queryId)],
        await publicToken(),
      );
      expect(accepted).toBe(1);
    });

    it("counts a product once a day from one address", async () => {
      service.clock.nowMs += 25 * 3600 * 1000;
      const token = await publicToken();
      const first = await service.search("mug");
      const again = await service.search("mug");
      const productId = first.Products[5]?._id;
      expect(await service.send([click(productId, first.queryId)], token)).toMatchObject({ accepted: 1 });
      expect(await service.send([click(productId, again.queryId)], token)).toMatchObject({ accepted: 0 });
      expect(await service.send([click(productId, again.queryId)])).toMatchObject({ accepted: 1 });
    });
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
  it.each(["cart", "purchase"])(
    "for a public token that sends a %s, of whose request nothing counts",
    async (type) => {
      const publicToken = await service.token({ scopes: ["search"], publicOrigins: ["*"] });
      const { queryId, Products } = await service.search("mug");
      const productId = Products[7]?._id;
      const response = await service.app.inject({
        method: "POST",
        url: "/api/v1/events",
        headers: { authorization: `Bearer ${publicToken}` },
        payload: {
          events: [
            { type: "click", productId, queryId },
            { type, productId },
          ],
        },
      });
      expectInvalid(id, /^events\[1\]\.type: .* needs a private token/, response);
      expect(await service.send([{ type: "click", productId, queryId }])).toMatchObject({ accepted: 1 });
    },
  );

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
    [
      "an order of a click",
      { events: [{ type: "click", productId: "a", orderId: "1" }] },
      /^events\[0\]\.orderId: belongs to purchases/,
    ],
    ["a long order", { events: [{ type: "purchase", productId: "a", orderId: "x".repeat(65) }] }, /orderId/],
    ["another field", { events: [{ type: "click", productId: "a", user: "jane" }] }, /user/],
  ])("for %s", async (_, body, message) => {
    expectInvalid(id, message, await post(body));
  });
});
