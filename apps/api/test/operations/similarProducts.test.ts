import { fakeMug } from "@product-search/testing/fake-products.ts";
import { drawing, type Shape } from "@product-search/testing/images/images.ts";
import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProductImageService } from "../../testing/images/image-service.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const id = "similarProducts";
const shapes: readonly (readonly [string, Shape, string])[] = [
  ["red", "disc", "#c02020"],
  ["reddish", "disc", "#b82828"],
  ["ring", "ring", "#208040"],
];
let service: TestService;
beforeAll(async () => {
  const images = new Map<string, Buffer>();
  for (const [name, shape, colour] of shapes)
    images.set(`/images/${name}.jpg`, await drawing(shape, colour).jpeg({ quality: 95 }).toBuffer());
  service = await createProductImageService(images, [
    fakeMug("catalog", 1, { name: "Red disc", images: ["/images/red.jpg"] }),
    fakeMug("catalog", 2, { name: "Reddish disc", images: ["/images/reddish.jpg"] }),
    fakeMug("catalog", 3, { name: "Ring", images: ["/images/ring.jpg"] }),
    fakeMug("catalog", 4, { name: "Ring and disc", images: ["/images/ring.jpg", "/images/reddish.jpg"] }),
    fakeMug("catalog", 5, { name: "Unseen", images: [] }),
    fakeMug("marketplace-a", 6, { name: "Red disc elsewhere", images: ["/images/red.jpg"] }),
  ]);
  await service.indexed();
});
afterAll(() => service.close());

const idOf = async (name: string, from: TestService = service): Promise<string> => {
  const rows = await from.stores.catalogStore.scan(0, 100);
  return rows.find((row) => row.name === name)?.id ?? "";
};
const similar = async (
  productId: string,
  {
    query = {},
    headers = {},
    from = service,
  }: {
    query?: Record<string, string>;
    headers?: Record<string, string>;
    from?: TestService;
  } = {},
) => {
  const authorization = `Bearer ${await from.token()}`;
  const url = `/api/v1/products/${encodeURIComponent(productId)}/similar`;
  return from.app.inject({ url, query, headers: { authorization, ...headers } });
};
const namesLike = async (name: string, query: Record<string, string> = {}): Promise<string[]> => {
  const response = await similar(await idOf(name), { query });
  expectDocumented(id, 200, response);
  return response.json().Products.map((product: { name: string }) => product.name);
};

describe("200", () => {
  it("returns similar products, most similar first, without the product itself", async () => {
    const names = await namesLike("Red disc");
    expect(names.slice(0, 2).toSorted()).toEqual(["Reddish disc", "Ring and disc"]);
    expect(names).not.toContain("Red disc");
  });

  it("uses the most similar of all its images", async () => {
    expect((await namesLike("Ring and disc")).toSorted()).toEqual(
      expect.arrayContaining(["Reddish disc", "Ring"]),
    );
  });

  it("returns as many as requested", async () => {
    expect(await namesLike("Ring and disc", { count: "1" })).toHaveLength(1);
  });

  it.each([
    ["Unseen", []],
    ["Red disc elsewhere", ["Red disc", "Ring and disc", "Reddish disc"]],
  ])("gives what is like it by name for what has no described image: %s", async (name, first) => {
    const names = await namesLike(name);
    expect(names.slice(0, first.length)).toEqual(first);
    expect(names).not.toContain(name);
  });

  it("returns twenty by default, and at most fifty", async () => {
    const image = await drawing("bars", "#202020").jpeg().toBuffer();
    const many = await createProductImageService(
      new Map([["/images/bars.jpg", image]]),
      Array.from({ length: 60 }, (_, n) => fakeMug("catalog", n, { images: ["/images/bars.jpg"] })),
    );
    const productId = await idOf("Stoneware mug number 7", many);
    const found = async (query: Record<string, string>) =>
      (await similar(productId, { query, from: many })).json().Products;
    const [usual, most] = [await found({}), await found({ count: "50" })];
    await many.close();
    expect([usual.length, most.length]).toEqual([20, 50]);
    expect(most.map((product: { _id: string }) => product._id)).not.toContain(productId);
  });
});

describe("400", () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ["a count of 0", { count: "0" }, /^count:.*from 1 to 50/],
    ["a count of 51", { count: "51" }, /^count:/],
    ["an unknown parameter", { page: "2" }, /^page:/],
  ])("with %s", async (_, query, message) => {
    expectInvalid(id, message, await similar(await idOf("Ring"), { query }));
  });
});

describe("404", () => {
  it("with an identifier that no product has", async () => {
    const response = await similar("nobody");
    expectDocumented(id, 404, response);
    expect(response.json()).toMatchObject({ code: "product_not_found" });
  });
});

describe("503", () => {
  it("while there is no index of images yet", async () => {
    const early = await createTestService();
    await early.stores.catalogStore.apply([fakeMug("catalog", 1)]);
    const response = await similar(await idOf("Stoneware mug number 1", early), { from: early });
    await early.close();
    expectDocumented(id, 503, response);
    expect(response.headers["retry-after"]).toBe("2");
  });
});
