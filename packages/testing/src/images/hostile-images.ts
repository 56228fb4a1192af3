import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { drawing, pngBomb, pngChunk } from "./images.ts";

/** The announced size: none of them contains so many pixels. */
const hugeSide = 30_000;

/** Small files that announce 900 million pixels, or as many as their format can. */
export const pixelBombs: Record<string, () => Promise<Buffer>> = {
  PNG: async () => pngBomb(hugeSide, hugeSide),
  JPEG: async () => {
    const jpeg = await drawing("disc", "#c02020").jpeg().toBuffer();
    const frameHeader = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
    jpeg.writeUInt16BE(hugeSide, frameHeader + 5);
    jpeg.writeUInt16BE(hugeSide, frameHeader + 7);
    return jpeg;
  },
  WebP: async () => {
    const webp = await drawing("disc", "#c02020").webp({ lossless: true }).toBuffer();
    // RFC 9649: after the signature byte come width and height minus one, 14 bits each. The decoder's limit is one
    // lower.
    const most = 16_383 - 1;
    webp.writeUInt32LE((most << 14) | most, webp.indexOf("VP8L") + 9);
    return webp;
  },
  AVIF: async () => {
    const avif = await drawing("disc", "#c02020").avif({ effort: 0 }).toBuffer();
    const size = avif.indexOf("ispe") + 8;
    avif.writeUInt32BE(hugeSide, size);
    avif.writeUInt32BE(hugeSide, size + 4);
    return avif;
  },
  GIF: async () => {
    const gif = await drawing("disc", "#c02020").gif().toBuffer();
    // The size of the screen, and of the frame on it.
    const frame = gif.indexOf(Buffer.from([0x2c, 0, 0, 0, 0, 200, 0, 200, 0])) + 5;
    for (const size of [6, frame]) {
      gif.writeUInt16LE(hugeSide, size);
      gif.writeUInt16LE(hugeSide, size + 2);
    }
    return gif;
  },
};

/** With so many frames that reading all would take long. */
export const frameBombs: Record<string, () => Promise<Buffer>> = {
  GIF: async () => {
    const one = await drawing("ring", "#208040").gif().toBuffer();
    const dot = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
    const frames = new Array<Buffer>(400_000).fill(dot);
    return Buffer.concat([one.subarray(0, -1), ...frames, Buffer.from(";")]);
  },
  WebP: async () => {
    const two = ["ring", "disc"] as const;
    const pages = await Promise.all(two.map((shape) => drawing(shape, "#208040").png().toBuffer()));
    const webp = await sharp(pages, { join: { animated: true } })
      .webp({ effort: 0 })
      .toBuffer();
    const second = webp.lastIndexOf("ANMF");
    const frame = webp.subarray(second);
    const many = Buffer.concat([
      webp.subarray(0, second),
      ...new Array<Buffer>(Math.floor(6_000_000 / frame.length)).fill(frame),
    ]);
    many.writeUInt32LE(many.length - 8, 4);
    return many;
  },
};

/** Files that contain something else in addition, or claim to be another format. */
export const polyglots: Record<string, () => Promise<Buffer>> = {
  "PNG and archive": async () =>
    Buffer.concat([await drawing("bars", "#202020").png().toBuffer(), Buffer.from("PK\x03\x04 and so on")]),
  "GIF and script": async () =>
    Buffer.concat([await drawing("bars", "#202020").gif().toBuffer(), Buffer.from("*/=1;alert(1)//")]),
  "JPEG and SVG": async () => {
    const jpeg = await drawing("bars", "#202020").jpeg().toBuffer();
    const svg = Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>`,
    );
    const comment = Buffer.from([0xff, 0xfe, 0, svg.length + 2]);
    return Buffer.concat([jpeg.subarray(0, 2), comment, svg, jpeg.subarray(2)]);
  },
  "PNG whose colour profile and text unpack to 60 MB": async () => {
    const png = await drawing("bars", "#202020").png().toBuffer();
    const packed = deflateSync(Buffer.alloc(60_000_000));
    const headerEnd = 33;
    return Buffer.concat([
      png.subarray(0, headerEnd),
      pngChunk("iCCP", Buffer.concat([Buffer.from("profile\0\0", "latin1"), packed])),
      pngChunk("zTXt", Buffer.concat([Buffer.from("Comment\0\0", "latin1"), packed])),
      png.subarray(headerEnd),
    ]);
  },
};

/** Files that a decoder might read as SVG, all of them referring to `target`. */
export function svgsPointingAt(target: string): Record<string, Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="50" height="50">
    <image width="50" height="50" xlink:href="${target}"/><use href="${target}#a"/>
    <style>@import url("${target}");</style></svg>`;
  const entity = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "${target}">]>
    <svg xmlns="http://www.w3.org/2000/svg"><text>&x;</text></svg>`;
  return {
    plain: Buffer.from(svg),
    "with a byte order mark": Buffer.from(`\ufeff${svg}`),
    "in UTF-16": Buffer.from(`\ufeff${svg}`, "utf16le"),
    "behind a comment": Buffer.from(`<!-- ${"x".repeat(2000)} -->${svg}`),
    "with an entity": Buffer.from(entity),
    "behind a GIF's signature": Buffer.from(`GIF89a${svg}`),
    "behind a PNG's signature": Buffer.from(`\x89PNG\r\n\x1a\n${svg}`, "latin1"),
    "behind a JPEG's signature": Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.from(svg)]),
    "behind a WebP's signature": Buffer.from(`RIFF0000WEBP${svg}`),
    "behind an AVIF's signature": Buffer.from(`\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf${svg}`, "latin1"),
  };
}
