import { fakeMug } from "@product-search/testing/fake-products.ts";
import { drawing } from "@product-search/testing/images/images.ts";
import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { drawImage } from "../../src/adapters/local-images/sample.ts";
import {
  createImageService,
  createProductImageService,
  drawn,
  post,
} from "../../testing/images/image-service.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const service = await createImageService();
afterAll(() => service.close());

const slugOf = async (image: Buffer, from: TestService = service): Promise<string> =>
  (await post(from, "vectorize-image", { base64String: image.toString("base64") })).json().slug;
const search = async (
  query: Record<string, string>,
  { headers = {}, from = service }: { headers?: Record<string, string>; from?: TestService } = {},
) => {
  const authorization = `Bearer ${await from.token()}`;
  return from.app.inject({ url: "/api/v1/search", query, headers: { authorization, ...headers } });
};
const namesLike = async (image: Buffer, from: TestService = service): Promise<string[]> => {
  const response = await search({ imageId: await slugOf(image, from) }, { from });
  expectDocumented("searchByImage", 200, response);
  return response.json().Products.map(({ name }: { name: string }) => name);
};

describe("200", () => {
  it.each(drawn)("finds the %s by an image of it, saved anew at another size", async (shape, colour) => {
    const image = drawing(shape, colour).resize(150, 150).webp({ quality: 80 });
    expect((await namesLike(await image.toBuffer()))[0]).toMatch(new RegExp(`^${shape}`));
  });

  it("returns complete products", async () => {
    const imageId = await slugOf(await drawing("disc", "#c02020").png().toBuffer());
    const [product] = (await search({ imageId })).json().Products;
    expect(product).toMatchObject({
      images: ["http://service.test/images/disc.jpg"],
      priceHistory: [{ price: product.price }],
    });
  });

  it("returns only the closest if nothing in the catalog looks like the image", async () => {
    const imageId = await slugOf(Buffer.from(await drawImage({ design: 0, view: 0 })));
    const response = await search({ imageId });
    expectDocumented("searchByImage", 200, response);
    const { Products, closest } = response.json();
    expect(Products).toEqual([]);
    expect(closest).toHaveLength(drawn.length);
    expect(closest[0]).toMatchObject({ images: [expect.any(String)], priceHistory: [expect.anything()] });
  });

  it("has the closest products apart from those that are similar", async () => {
    const imageId = await slugOf(await drawing("disc", "#c02020").png().toBuffer());
    const { Products, closest } = (await search({ imageId })).json();
    const ids = [...Products, ...closest].map(({ _id }: { _id: string }) => _id);
    expect(Products.length).toBeLessThan(5);
    expect(new Set(ids).size).toBe(drawn.length);
  });

  it("returns nothing from a catalog without images", async () => {
    const bare = await createProductImageService(new Map(), [fakeMug("catalog", 1, { images: [] })]);
    const imageId = await slugOf(await drawing("disc", "#c02020").png().toBuffer(), bare);
    const response = await search({ imageId }, { from: bare });
    expectDocumented("searchByImage", 200, response);
    expect(response.json()).toEqual({ status: "success", Products: [] });
    await bare.close();
  });

  it("leaves out a lamp that looks a little like twelve mugs", async () => {
    const colours = Array.from({ length: 12 }, (_, n) => `hsl(${n * 4}, 70%, 45%)`);
    const images = new Map<string, Buffer>();
    for (const [n, colour] of colours.entries())
      images.set(`/images/${n}.jpg`, await drawing("disc", colour).jpeg().toBuffer());
    images.set("/images/lamp.jpg", await drawing("ring", "#c02020").jpeg().toBuffer());
    const mugs = colours.map((_, n) =>
      fakeMug("catalog", n, { name: `Mug ${n}`, images: [`/images/${n}.jpg`] }),
    );
    const lamp = { name: "Lamp", category: "Lamps", images: ["/images/lamp.jpg"] };
    const shop = await createProductImageService(images, [...mugs, fakeMug("catalog", 99, lamp)]);
    const mugNames = await namesLike(await drawing("disc", "#c02020").png().toBuffer(), shop);
    expect(mugNames).not.toContain("Lamp");
    expect(mugNames.length).toBeGreaterThan(6);
    // Its own image finds it first, beside mugs.
    expect((await namesLike(await drawing("ring", "#c02020").png().toBuffer(), shop))[0]).toBe("Lamp");
    await shop.close();
  });

  describe("the categories", () => {
    let shop: TestService;
    let imageId: string;
    const found = async (query: Record<string, string> = {}) => {
      const response = await search({ imageId, ...query }, { from: shop });
      expectDocumented("searchByImage", 200, response);
      return response.json();
    };
    const categoriesOf = (products: { category?: string }[] = []) =>
      new Set(products.map(({ category }) => category));

    beforeAll(async () => {
      const images = new Map<string, Buffer>();
      const products = await Promise.all(
        Array.from({ length: 24 }, async (_, n) => {
          const [shape, category] = n < 12 ? (["disc", "Mugs"] as const) : (["ring", "Wall clocks"] as const);
          const image = await drawing(shape, `hsl(${n * 4}, 70%, 45%)`)
            .jpeg()
            .toBuffer();
          images.set(`/images/${n}.jpg`, image);
          return fakeMug("catalog", n, { category, images: [`/images/${n}.jpg`] });
        }),
      );
      shop = await createProductImageService(images, products);
      imageId = await slugOf(await drawing("disc", "#c02020").png().toBuffer(), shop);
    });
    afterAll(() => shop.close());

    it("are those of the most similar products", async () => {
      const { Products, categories, closest } = await found();
      expect(categories).toEqual(["Mugs"]);
      expect(categoriesOf(Products)).toEqual(new Set(["Mugs"]));
      expect(closest).toBeUndefined();
    });

    it.each(["Mugs", "mugs", "Chairs,MUGS"])("can be left out: %s", async (withoutCategories) => {
      const { Products, categories, closest } = await found({ withoutCategories });
      expect(categories).toEqual(["Wall clocks"]);
      expect(categoriesOf([...Products, ...(closest ?? [])])).toEqual(new Set(["Wall clocks"]));
    });

    it("can all be left out", async () => {
      expect(await found({ withoutCategories: "Mugs,Wall clocks" })).toEqual({
        status: "success",
        Products: [],
      });
    });
  });

  it("works for any account, and repeatedly", async () => {
    const imageId = await slugOf(await drawing("ring", "#208040").png().toBuffer());
    const authorization = `Bearer ${await service.token({ account: "other" })}`;
    const first = await search({ imageId }, { headers: { authorization } });
    expectDocumented("searchByImage", 200, first);
    expect((await search({ imageId })).json()).toEqual(first.json());
  });

  it("returns one entry per product and at most fifty, without marketplaces and products without images", async () => {
    const image = await drawing("bars", "#202020").jpeg().toBuffer();
    const images = ["/images/front.jpg", "/images/side.jpg"];
    const many = await createProductImageService(new Map(images.map((address) => [address, image])), [
      ...Array.from({ length: 60 }, (_, n) => fakeMug("catalog", n, { images })),
      fakeMug("catalog", 98, { images: [] }),
      fakeMug("marketplace-a", 99, { images }),
    ]);
    const names = await namesLike(image, many);
    expect(names).toHaveLength(50);
    expect(new Set(names).size).toBe(50);
    await many.close();
  });
});

describe("400", () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ["no identifier", {}, /^imageId:/],
    ["an empty list", { imageId: "a", withoutCategories: "" }, /^withoutCategories:/],
    ["an empty name in a list", { imageId: "a", withoutCategories: "Mugs,,Lamps" }, /^withoutCategories:/],
  ])("with %s", async (_, query, message) => {
    expectInvalid("searchByImage", message, await search(query));
  });
});

describe("404", () => {
  it.each(["", "img_Jm4tq0xw7bY2nK9cV5sR8dLf", "../../etc/passwd", "é", "a".repeat(2000)])(
    "with an identifier that nobody was given: %s",
    async (imageId) => {
      const response = await search({ imageId });
      expectDocumented("searchByImage", 404, response);
      expect(response.json()).toMatchObject({
        code: "image_not_found",
        message: expect.stringMatching(/^imageId: no image.*\/vectorize-image/),
      });
    },
  );

  it("thirty days after the image was last vectorised", async () => {
    const image = await drawing("square", "#abcdef").png().toBuffer();
    const days = (count: number) => {
      service.clock.nowMs += count * 24 * 3600 * 1000;
    };
    const imageId = await slugOf(image);
    days(29);
    await slugOf(image);
    days(29);
    expectDocumented("searchByImage", 200, await search({ imageId }));
    days(1);
    expectDocumented("searchByImage", 404, await search({ imageId }));
  });

  it("with the slug of a former model, asking to upload the image again", async () => {
    const descriptor = { model: "former", vector: Float32Array.from([1]) };
    await service.ports.uploadedImageStore.keep([{ slug: "img_former", descriptor }]);
    const response = await search({ imageId: "img_former" });
    expectDocumented("searchByImage", 404, response);
    expect(response.json().message).toMatch(/earlier image model.*again/);
  });
});

describe("503", () => {
  it("while there is no index yet", async () => {
    const early = await createTestService();
    const response = await search({ imageId: "a" }, { from: early });
    await early.close();
    expectDocumented("searchByImage", 503, response);
    expect(response.headers["retry-after"]).toBe("2");
  });
});
