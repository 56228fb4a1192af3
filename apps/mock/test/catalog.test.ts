import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  CatalogSearchResponse,
  DetectedObject,
  Product,
  SearchInsightsResponse,
} from "@product-search/types";
import { afterAll, describe, expect, it } from "vitest";
import { createCall } from "./call.ts";
import { startMock } from "./start-mock.ts";

describe("catalog", async () => {
  const mock = await startMock();
  const call = createCall(mock);

  /** An image that is in no catalog: one white pixel. */
  const whitePixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC";

  describe("the catalog", () => {
    it("finds what is asked for and nothing else", async () => {
      const { body } = await call<{ Products: Product[] }>("/search/trial?q=table%20lamp");
      expect(body.Products).toHaveLength(5);
      for (const { name } of body.Products) expect(name).toMatch(/lamp/i);
      expect((await call<{ Products: Product[] }>("/search/trial?q=zzqqxxjj")).body.Products).toEqual([]);
    });
  });

  describe("images", () => {
    const vectorize = async (base64String: string) =>
      (await call<{ slug: string }>("/vectorize-image", { body: { base64String } })).body.slug;
    const search = async (slug: string) =>
      (await call<{ Products: Product[] }>(`/search?imageId=${slug}`)).body.Products;

    it("of a product find that product first; the same bytes have the same slug", async () => {
      const { body } = await call<{ Products: Product[] }>("/search/trial?q=lamp");
      const [product] = body.Products;
      const response = await fetch(product?.images[0] ?? "");
      expect(response.headers.get("content-type")).toBe("image/jpeg");
      const image = Buffer.from(await response.arrayBuffer()).toString("base64");
      const slug = await vectorize(image);
      expect(await vectorize(image)).toBe(slug);
      expect((await search(slug))[0]?._id).toBe(product?._id);
      const detected = await call<{ detectedObjects: DetectedObject[] }>("/detect-objects", {
        body: { base64String: image },
      });
      expect(detected.body.detectedObjects).toMatchObject([{ slug, dimensions: { x: 0, y: 0, width: 200 } }]);
    });

    it("that the catalog does not have find a fixed list", async () => {
      const slug = await vectorize(whitePixel);
      const found = await search(slug);
      expect(found.length).toBeGreaterThan(0);
      expect(await search(slug)).toEqual(found);
    });

    it("with an unknown slug are not found", async () => {
      expect(await call("/search?imageId=img_unknown")).toMatchObject({
        status: 404,
        body: { code: "image_not_found" },
      });
    });
  });

  describe("deep search", () => {
    const body = { query: "a lamp under 50 dollars" };

    it("is a stream where that is accepted", async () => {
      const response = await fetch(`${mock.baseUrl}/deep-search`, {
        method: "POST",
        headers: {
          authorization: "Bearer a",
          "content-type": "application/json",
          accept: "text/event-stream",
        },
        body: JSON.stringify(body),
      });
      expect(response.headers.get("content-type")).toMatch("text/event-stream");
      const events = (await response.text()).match(/^event: \w+$/gm);
      expect(new Set(events)).toEqual(new Set(["event: products", "event: delta", "event: done"]));
    });
  });
});

describe("insights", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mock-insights-"));
  afterAll(() => rm(folder, { recursive: true }));

  it("counts searches and events at once, and keeps them in its state", async () => {
    const stateFile = join(folder, "state.json");
    const first = await startMock({ stateFile });
    const call = createCall(first);
    const { body } = await call<CatalogSearchResponse>("/search/catalog?q=Lamp");
    await call("/search/catalog?q=zzqqxxjj");
    const click = { type: "click", productId: body.Products[1]?._id, queryId: body.queryId, position: 2 };
    const sent = await call("/events", { body: { events: [click, click] } });
    expect(sent).toMatchObject({ status: 202, body: { status: "success", accepted: 1 } });
    const forged = { ...click, queryId: "forged" };
    expect((await call("/events", { body: { events: [forged] } })).body).toMatchObject({ accepted: 0 });
    const expected = {
      searches: [
        { query: "lamp", searches: 1, results: body.count, clicks: 1, clickRate: 1, averagePosition: 2 },
        { query: "zzqqxxjj", searches: 1, results: 0, clicks: 0, clickRate: 0 },
      ],
      totals: { searches: 2, noResults: 1, clicks: 1 },
    };
    expect((await call<SearchInsightsResponse>("/insights/searches")).body).toMatchObject(expected);
    await first.stop();

    const after = createCall(await startMock({ stateFile }));
    expect((await after<SearchInsightsResponse>("/insights/searches")).body).toMatchObject(expected);
    await after("/events", { body: { events: [click] } });
    expect((await after<SearchInsightsResponse>("/insights/searches")).body.totals.clicks).toBe(1);
  });
});

describe("preferences", async () => {
  const mock = await startMock();
  const call = createCall(mock);
  const prefer = (preference: string) => ({ headers: { prefer: preference } });

  describe("a preference chooses the response of a mock with state, too:", () => {
    it("a status", async () => {
      expect(await call("/search/trial?q=mug", prefer("code=429"))).toMatchObject({
        status: 429,
        body: { code: "rate_limited" },
      });
    });

    it.each([
      [429, "12 seconds", "12"],
      [503, "5 seconds", "5"],
    ])("%i, whose headers say the same as its text", async (status, text, retryAfter) => {
      const chosen = await fetch(`${mock.baseUrl}/search/catalog?q=mug`, {
        headers: { authorization: "Bearer t", prefer: `code=${status}` },
      });
      expect(chosen.status).toBe(status);
      expect(await chosen.text()).toContain(text);
      expect(chosen.headers.get("retry-after")).toBe(retryAfter);
      if (status === 429) {
        expect(chosen.headers.get("ratelimit")).toBe(`"token";r=0;t=${retryAfter}`);
        expect(chosen.headers.get("ratelimit-policy")).toBe('"token";q=3000;w=60');
      }
    });

    it("an example", async () => {
      expect(await call("/search/marketplace-b?q=mug", prefer("example=none"))).toMatchObject({
        status: 200,
        body: { Products: [], count: 0 },
      });
    });

    it("made-up data", async () => {
      const chosen = await call("/search/trial?q=mug", prefer("dynamic=true, seed=7"));
      expect(chosen).toMatchObject({ status: 200, body: { status: "success" } });
    });

    it("a delay", async () => {
      const startedAt = performance.now();
      expect((await call("/search/trial?q=mug", prefer("delay=300"))).status).toBe(200);
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(299);
    });
  });

  it.each([
    "return=minimal",
    "code=many",
    "dynamic=maybe",
    "delay=soon",
    "fault=fire",
    "example=many",
    "code=504",
  ])("refuses the preference %s", async (preference) => {
    expect(await call("/search/trial?q=mug", prefer(preference))).toMatchObject({
      status: 400,
      body: { code: "invalid_request", message: expect.stringMatching(/^Prefer: /) },
    });
  });

  describe("a fault on demand:", () => {
    const ask = (fault: string, signal?: AbortSignal) =>
      fetch(`${mock.baseUrl}/search/trial?q=lamp`, {
        headers: { prefer: `fault=${fault}` },
        ...(signal && { signal }),
      });

    it("timeout gives no response", async () => {
      await expect(ask("timeout", AbortSignal.timeout(300))).rejects.toThrow("timeout");
    });

    it("reset ends the connection", async () => {
      await expect(ask("reset")).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
    });

    it("malformed gives half of the JSON", async () => {
      const response = await ask("malformed");
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text).toMatch(/^\{"status":"success"/);
      expect(() => JSON.parse(text)).toThrow();
    });

    it("slow gives all of it, bit by bit", async () => {
      const startedAt = performance.now();
      const response = await ask("slow");
      const headersAfterMs = performance.now() - startedAt;
      expect(await response.json()).toMatchObject({ status: "success" });
      expect(performance.now() - startedAt - headersAfterMs).toBeGreaterThan(1000);
    });
  });

  describe("the message of a refusal names the field:", () => {
    it.each([
      ["/search/marketplace-a?q=mug&count=300", /^count: .*too large/],
      ["/search/trial", /^q: is missing/],
      ["/search/trial?q=mug&colour=red", /^"?colour"?: /],
      ["/search/trial?q=mug&priceRange=[9,1]", /^priceRange: /],
      ["/search/catalog?count=5", /^q: /],
      ["/search/marketplace-a?q=mug&page=100&count=250", /^page/],
    ] as const)("%s", async (path, message) => {
      expect(await call(path)).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(message) },
      });
    });
  });
});
