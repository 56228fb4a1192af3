import fc from "fast-check";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { ImageTooLargeError, InvalidImageError, loadBuiltInModel } from "../src/index.ts";
import { circleShape, drawing, shirtShape } from "./images.ts";

const model = loadBuiltInModel();
const similarity = (a: Float32Array, b: Float32Array) =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
const shirt = () => drawing(shirtShape, "#226", "#fff");
const formats = ["jpeg", "png", "webp", "avif", "gif"] as const;

describe("damaged files", () => {
  it.each(formats)("refuses a %s file that breaks off", async (format) => {
    const whole = await shirt().toFormat(format).toBuffer();
    for (const share of [0.1, 0.5, 0.8]) {
      const part = whole.subarray(0, Math.floor(whole.length * share));
      await expect(model.describe(part), `${share} of it`).rejects.toThrow(InvalidImageError);
      await expect(model.detect(part), `${share} of it`).rejects.toThrow(InvalidImageError);
    }
  });

  it.each(formats)("survives a %s file with wrong bytes in it", async (format) => {
    const whole = await shirt().toFormat(format).toBuffer();
    for (let seed = 1; seed <= 12; seed++) {
      const wrong = Buffer.from(whole);
      for (let i = 0; i < 8; i++)
        wrong[12 + ((seed * 7919 + i * 104729) % (whole.length - 12))] = (seed * 37 + i * 11) & 255;
      // Some damage cannot be distinguished from an unusual image: the result must be a vector or this one error.
      const outcome = await model.describe(wrong).catch((error: unknown) => error);
      if (outcome instanceof Float32Array) expect(similarity(outcome, outcome)).toBeCloseTo(1, 4);
      else expect(outcome instanceof InvalidImageError || outcome instanceof ImageTooLargeError).toBe(true);
    }
  });

  it.each([
    ["a JPEG signature and nothing else", Buffer.from([0xff, 0xd8, 0xff])],
    [
      "a JPEG signature before SVG",
      Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from("<svg/>")]),
    ],
    [
      "a PNG signature before a script",
      Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.from("<script>")]),
    ],
    [
      "a GIF header before SVG",
      Buffer.from(`GIF89a<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>`),
    ],
    ["HEIC", Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1")],
  ])("refuses %s", async (_, bytes) => {
    await expect(model.describe(bytes)).rejects.toThrow(InvalidImageError);
  });

  it.each([
    ["JPEG", Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
    ["PNG", Buffer.from("\x89PNG\r\n\x1a\n", "latin1")],
    ["WebP", Buffer.from("RIFF\xff\0\0\0WEBPVP8 ", "latin1")],
    ["AVIF", Buffer.from("\0\0\0\x1cftypavif\0\0\0\0", "latin1")],
    ["GIF", Buffer.from("GIF89a")],
  ])("survives anything at all after the signature of %s", async (_, signature) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (rest) => {
        const outcome = await model
          .describe(Buffer.concat([signature, rest]))
          .catch((error: unknown) => error);
        const known = outcome instanceof InvalidImageError || outcome instanceof ImageTooLargeError;
        expect(known || outcome instanceof Float32Array).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("reads a file that is also an archive as an image", async () => {
    const image = await shirt().png().toBuffer();
    const archive = Buffer.concat([image, Buffer.from("PK\x03\x04 and the rest of an archive")]);
    expect(await model.describe(archive)).toEqual(await model.describe(image));
  });
});

describe("images that need too much memory", () => {
  it.each(["png", "webp"] as const)("refuses a small %s file of too many pixels", async (format) => {
    const [width, height] = format === "png" ? [6000, 5000] : [16_000, 1600];
    const image = sharp({
      create: { width, height, channels: 3, background: "#fff" },
      limitInputPixels: false,
    });
    const bomb = await (format === "png"
      ? image.png({ compressionLevel: 1 })
      : image.webp({ effort: 0 })
    ).toBuffer();
    expect(bomb.length).toBeLessThan(1_000_000);
    await expect(model.describe(bomb)).rejects.toThrow(ImageTooLargeError);
    await expect(model.detect(bomb)).rejects.toThrow(ImageTooLargeError);
  });

  it("reads only the first of many frames", async () => {
    const one = await drawing(circleShape, "#a11", "#fff", { width: 40, height: 32 }).gif().toBuffer();
    const dot = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
    const frames = new Array<Buffer>(200_000).fill(dot);
    const many = Buffer.concat([one.subarray(0, one.length - 1), ...frames, Buffer.from(";")]);
    const vector = await model.describe(many);
    expect(similarity(vector, await model.describe(one))).toBeGreaterThan(0.99);
  });
});

describe("unusual images", () => {
  it.each([
    ["CMYK", () => shirt().toColourspace("cmyk").jpeg({ quality: 95 })],
    ["16 bits a channel", () => shirt().toColourspace("rgb16").png()],
    ["a palette", () => shirt().png({ palette: true })],
    [
      "transparency instead of white",
      async () =>
        sharp(await shirt().png().toBuffer())
          .unflatten()
          .png(),
    ],
    ["lossless WebP", () => shirt().webp({ lossless: true })],
    ["AVIF", () => shirt().avif({ quality: 80 })],
    ["GIF", () => shirt().gif()],
  ])("sees the same in %s", async (_, image) => {
    const usual = await model.describe(await shirt().png().toBuffer());
    expect(similarity(usual, await model.describe(await (await image()).toBuffer()))).toBeGreaterThan(0.9);
  });

  it("describes greyscale images with one channel, and with transparency", async () => {
    const grey = await model.describe(await shirt().greyscale().png().toBuffer());
    const alpha = await model.describe(await shirt().greyscale().ensureAlpha().png().toBuffer());
    expect(similarity(grey, alpha)).toBeGreaterThan(0.999);
  });

  it.each([2, 3, 4, 5, 6, 7, 8])("turns an image upright by EXIF orientation %i", async (orientation) => {
    const turned = await shirt().withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();
    const upright = await sharp(turned).autoOrient().png().toBuffer();
    expect(similarity(await model.describe(turned), await model.describe(upright))).toBeGreaterThan(0.98);
  });
});
