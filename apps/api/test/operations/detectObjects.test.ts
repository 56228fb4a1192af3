import { drawing, pngBomb, twoThings } from "@product-search/testing/images/images.ts";
import { expectDocumented } from "@product-search/testing/spec-check.ts";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createImageService, post } from "../../testing/images/image-service.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
let things: string;
beforeAll(async () => {
  service = await createImageService();
  things = (await twoThings()).toString("base64");
});
afterAll(() => service.close());

const send = (base64String: unknown, headers?: Record<string, string>) =>
  post(service, "detect-objects", { base64String }, headers);

interface Found {
  objectName: string;
  confidence: number;
  croppedImage: string;
  dimensions: { x: number; y: number; width: number; height: number };
  slug: string;
}
const detect = async (image: Buffer): Promise<Found[]> => {
  const response = await send(image.toString("base64"));
  expectDocumented("detectObjects", 200, response);
  return response.json().detectedObjects;
};

describe("200", () => {
  it("finds each object, in pixels of the image, highest confidence first", async () => {
    const found = await detect(Buffer.from(things, "base64"));
    expect(found).toHaveLength(2);
    const [left, right] = found.toSorted((one, other) => one.dimensions.x - other.dimensions.x);
    expectNear(left, { x: 38, y: 38, width: 124, height: 124 });
    expectNear(right, { x: 285, y: 45, width: 110, height: 110 });
    const confidences = found.map(({ confidence }) => confidence);
    expect(confidences).toEqual(confidences.toSorted((one, other) => other - one));
  });

  it("measures in the upright image if EXIF rotates it", async () => {
    const turned = await sharp(Buffer.from(things, "base64"))
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const found = await detect(turned);
    const [top, bottom] = found.toSorted((one, other) => one.dimensions.y - other.dimensions.y);
    expectNear(top, { x: 38, y: 38, width: 124, height: 124 });
    expectNear(bottom, { x: 45, y: 285, width: 110, height: 110 });
  });

  it("returns a crop of each object", async () => {
    for (const { croppedImage, dimensions } of await detect(Buffer.from(things, "base64"))) {
      const [, base64 = ""] = /^data:image\/jpeg;base64,(.+)$/.exec(croppedImage) ?? [];
      const { width, height } = await sharp(Buffer.from(base64, "base64")).metadata();
      expect({ width, height }).toEqual({ width: dimensions.width, height: dimensions.height });
    }
  });

  it("returns slugs that find the object in the catalog, the same as for its crop", async () => {
    const found = await detect(Buffer.from(things, "base64"));
    const disc = found.toSorted((one, other) => one.dimensions.x - other.dimensions.x)[0];
    const authorization = `Bearer ${await service.token()}`;
    const query = { imageId: disc?.slug ?? "" };
    const response = await service.app.inject({ url: "/api/v1/search", query, headers: { authorization } });
    expectDocumented("searchByImage", 200, response);
    expect(response.json().Products[0].name).toMatch(/^disc/);
    const again = await post(service, "vectorize-image", { base64String: disc?.croppedImage });
    expect(again.json().slug).toBe(disc?.slug);
  });

  it("finds nothing in an empty image", async () => {
    const plain = sharp({ create: { width: 200, height: 150, channels: 3, background: "#cccccc" } });
    expect(await detect(await plain.png().toBuffer())).toEqual([]);
  });
});

function expectNear(object: Found | undefined, box: Found["dimensions"]): void {
  for (const side of ["x", "y", "width", "height"] as const) {
    expect(Math.abs((object?.dimensions[side] ?? Number.NaN) - box[side]), side).toBeLessThanOrEqual(16);
  }
}

describe("400", () => {
  it.each<[string, object, string]>([
    ["no image", {}, "invalid_request"],
    ["no base64", { base64String: "?" }, "invalid_request"],
    ["an unknown field", { base64String: "YWJj", limit: 3 }, "invalid_request"],
    ["no image", { base64String: "YWJj" }, "invalid_image"],
  ])("with %s", async (_, payload, code) => {
    const response = await post(service, "detect-objects", payload);
    expectDocumented("detectObjects", 400, response);
    expect(response.json().code).toBe(code);
  });
});

describe("413", () => {
  it("with more pixels than allowed", async () => {
    expectDocumented("detectObjects", 413, await send(pngBomb(5001, 5000).toString("base64")));
  });
});

it("describes uploaded images like the drawings of the catalog", async () => {
  expect(await detect(await drawing("triangle", "#d0a010").png().toBuffer())).toHaveLength(1);
});
