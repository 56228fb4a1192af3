import type { DetectedObject, Product } from "@product-search/types";
import { describe, expect, it } from "vitest";
import { createCall } from "./call.ts";
import { startMock } from "./start-mock.ts";

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
      headers: { authorization: "Bearer a", "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify(body),
    });
    expect(response.headers.get("content-type")).toMatch("text/event-stream");
    const events = (await response.text()).match(/^event: \w+$/gm);
    expect(new Set(events)).toEqual(new Set(["event: products", "event: delta", "event: done"]));
  });
});
