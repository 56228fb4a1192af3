import { base64Of, drawing, pngBomb } from "@product-search/testing/images/images.ts";
import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { post } from "../../testing/images/image-service.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

let service: TestService;
let png: string;
beforeAll(async () => {
  service = await createTestService();
  png = await base64Of(drawing("disc", "#c02020").png());
});
afterAll(() => service.close());

const send = (base64String: unknown, headers?: Record<string, string>) =>
  post(service, "vectorize-image", { base64String }, headers);
const slugOf = async (base64String: string) => {
  const response = await send(base64String);
  expectDocumented("vectorizeImage", 200, response);
  return response.json().slug;
};

describe("200", () => {
  it("returns the same slug for the same bytes in every base64 form", async () => {
    const slug = await slugOf(png);
    expect(slug).toMatch(/^img_[\w-]{24}$/);
    const written = {
      again: png,
      "URL-safe": png.replaceAll("+", "-").replaceAll("/", "_"),
      "without padding": png.replace(/=+$/, ""),
      "with line breaks": png.replaceAll(/.{76}/g, "$&\r\n"),
      "as a data URL": `data:image/png;base64,${png}`,
      "as a data URL of a false type": `data:text/html;charset=utf-8;base64,${png}`,
    };
    for (const [how, text] of Object.entries(written)) expect(await slugOf(text), how).toBe(slug);
  });

  it("returns another slug for other bytes", async () => {
    expect(await slugOf(await base64Of(drawing("disc", "#c02021").png()))).not.toBe(await slugOf(png));
  });

  it.each<[string, (image: Sharp) => Sharp]>([
    ["JPEG", (image) => image.jpeg()],
    ["progressive JPEG in CMYK", (image) => image.toColourspace("cmyk").jpeg({ progressive: true })],
    ["PNG with transparency", (image) => image.ensureAlpha(0.5).png()],
    ["PNG of 16 bit", (image) => image.toColourspace("rgb16").png()],
    ["PNG in grey", (image) => image.toColourspace("b-w").png()],
    ["WebP", (image) => image.webp()],
    ["AVIF", (image) => image.avif({ effort: 0 })],
    ["GIF", (image) => image.gif()],
    ["JPEG turned by its EXIF", (image) => image.jpeg().withMetadata({ orientation: 6 })],
    ["PNG of one pixel", (image) => image.resize(1, 1).png()],
    ["PNG of 1 × 20000 pixels", (image) => image.resize(1, 20_000, { fit: "fill" }).png()],
  ])("takes a %s", async (_, convert) => {
    await slugOf(await base64Of(convert(drawing("ring", "#208040"))));
  });

  it("accepts an empty image", async () => {
    const grey = { width: 64, height: 64, channels: 3, background: "#808080" } as const;
    await slugOf(await base64Of(sharp({ create: grey }).png()));
  });

  it("does not describe an image again if its slug is known", async () => {
    const blind = await createTestService({
      ports: (ports) => ({
        ...ports,
        vectorSearch: { ...ports.vectorSearch, model: () => "m" },
        visionModel: { ...ports.visionModel, describe: () => Promise.reject(new Error("blind")) },
      }),
    });
    const slug = await blind.ports.uploadedImageStore.slugOf(Buffer.from(png, "base64"));
    await blind.ports.uploadedImageStore.keep([
      { slug, descriptor: { model: "m", vector: new Float32Array(4) } },
    ]);
    const response = await post(blind, "vectorize-image", { base64String: png });
    expect(response.json()).toEqual({ status: "success", slug });
    await blind.close();
  });
});

describe("400", () => {
  it.each<[string, object | string, RegExp]>([
    ["no image", {}, /^base64String:/],
    ["an empty image", { base64String: "" }, /^base64String:/],
    ["a number", { base64String: 5 }, /^base64String:/],
    ["an unknown field", { base64String: "YWJj", url: "https://x.example" }, /^url:/],
    ["broken JSON", "{", /^body:/],
    ["white space", { base64String: " \n" }, /^base64String: is empty/],
    ["what is no base64", { base64String: "not base64!" }, /^base64String: is not valid base64/],
    ["two alphabets at once", { base64String: "+_+_" }, /^base64String: is not valid base64/],
    ["wrong padding", { base64String: "YWJjZA=" }, /^base64String: is not valid base64/],
    ["a data URL in plain text", { base64String: "data:image/png,abc" }, /^base64String: the data URL/],
    ["a data URL without an end", { base64String: "data:image/png;base64" }, /^base64String: the data URL/],
  ])("invalid_request with %s", async (_, payload, message) => {
    expectInvalid("vectorizeImage", message, await post(service, "vectorize-image", payload));
  });

  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>';
  const head = (text: string) => Buffer.from(png, "base64").subarray(0, 60).toString("base64") + text;
  it.each<[string, () => string]>([
    ["text", () => Buffer.from("hello").toString("base64")],
    ["an SVG that refers to a file", () => Buffer.from(svg).toString("base64")],
    ["an SVG behind white space", () => Buffer.from(`\n\n${svg}`).toString("base64")],
    ["a PDF", () => Buffer.from("%PDF-1.7\n1 0 obj").toString("base64")],
    ["a PNG that breaks off", () => png.slice(0, (png.length >> 2) << 1)],
    ["the head of a PNG and nothing else", () => head("")],
    ["a PNG of garbage", () => head(Buffer.alloc(500, 7).toString("base64"))],
  ])("invalid_image with %s", async (_, text) => {
    const response = await send(text());
    expectDocumented("vectorizeImage", 400, response);
    expect(response.json()).toMatchObject({
      code: "invalid_image",
      message: expect.stringMatching(/^base64String: /),
    });
  });

  it.each(["jpeg", "webp", "avif", "gif"] as const)(
    "invalid_image with a %s that breaks off",
    async (format) => {
      const whole = await drawing("bars", "#202020").toFormat(format).toBuffer();
      const response = await send(whole.subarray(0, whole.length / 2).toString("base64"));
      expectDocumented("vectorizeImage", 400, response);
      expect(response.json().code).toBe("invalid_image");
    },
  );
});

describe("413", () => {
  it("with a file over the limit, by a byte", async () => {
    const most = 7 * 1024 * 1024;
    const response = await send(Buffer.alloc(most + 1).toString("base64"));
    expectDocumented("vectorizeImage", 413, response);
    expect(response.json().message).toMatch(`${most + 1} bytes`);
    expectDocumented("vectorizeImage", 400, await send(Buffer.alloc(most).toString("base64")));
  });

  it("with more pixels than allowed, however small the file", async () => {
    const bomb = pngBomb(30_000, 30_000);
    expect(bomb.length).toBeLessThan(200_000);
    const response = await send(bomb.toString("base64"));
    expectDocumented("vectorizeImage", 413, response);
    expect(response.json().message).toMatch("30000 × 30000 pixels");
  });
});
