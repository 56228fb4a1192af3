import { crc32 } from "node:zlib";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { decodeImage, openImage } from "../src/image/open-image.ts";
import { ImageTooLargeError, InvalidImageError } from "../src/vision-model.ts";

const red = { r: 255, g: 0, b: 0 };
const solid = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: red } });

describe("openImage", () => {
  it.each(["jpeg", "png", "webp", "avif", "gif"] as const)("opens %s", async (format) => {
    const image = await openImage(await solid(40, 30).toFormat(format).toBuffer());
    expect(image).toMatchObject({ width: 40, height: 30 });
    const { rgb } = await decodeImage(image, 20);
    expect(rgb[0]).toBeGreaterThan(240);
    expect(rgb[1]).toBeLessThan(15);
  });

  it("gives the size of the upright image", async () => {
    const image = await openImage(await solid(40, 30).withMetadata({ orientation: 6 }).jpeg().toBuffer());
    expect(image).toMatchObject({ width: 30, height: 40 });
  });

  it.each([
    [
      "SVG",
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>`,
      ),
    ],
    [
      "SVG behind an XML declaration",
      Buffer.from(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>`),
    ],
    ["TIFF", Buffer.from("II*\0 and so on")],
    ["PDF", Buffer.from("%PDF-1.7")],
    ["text", Buffer.from("hello")],
    ["nothing", Buffer.alloc(0)],
  ])("refuses %s", async (_, bytes) => {
    await expect(openImage(bytes)).rejects.toThrow(InvalidImageError);
  });

  it("refuses more than 25 megapixels after reading only the header", async () => {
    const bomb = await solid(10, 10).png().toBuffer();
    bomb.writeUInt32BE(20_000, 16);
    bomb.writeUInt32BE(20_000, 20);
    bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29);
    await expect(openImage(bomb)).rejects.toThrow(ImageTooLargeError);
    await expect(openImage(bomb)).rejects.toThrow("20000 × 20000");
  });
});
