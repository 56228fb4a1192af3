import { describe, expect, it } from "vitest";
import { respondWithJson, startService } from "./service.ts";

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
