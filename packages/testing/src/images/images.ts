import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import type { Descriptor } from "@product-search/core/ports/images.ts";
import type { Sharp } from "sharp";
import sharp from "sharp";

export type Shape = "disc" | "square" | "ring" | "bars" | "triangle";

const bodies: Record<Shape, string> = {
  disc: '<circle cx="100" cy="100" r="62"/>',
  square: '<rect x="45" y="45" width="110" height="110"/>',
  ring: '<circle cx="100" cy="100" r="50" fill="none" stroke="currentColor" stroke-width="26"/>',
  bars: [40, 80, 120].map((x) => `<rect x="${x}" y="35" width="20" height="130"/>`).join(""),
  triangle: '<path d="M100 35 L165 160 L35 160 Z"/>',
};

/** An object of one colour on white, 200 pixels a side. */
export function drawing(shape: Shape, colour: string): Sharp {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">
    <rect width="200" height="200" fill="white"/><g fill="${colour}" color="${colour}">${bodies[shape]}</g></svg>`;
  return sharp(Buffer.from(svg));
}

export async function base64Of(image: Sharp): Promise<string> {
  return (await image.toBuffer()).toString("base64");
}

/** Two separate objects. */
export async function twoThings(): Promise<Buffer> {
  const left = await drawing("disc", "#c02020").png().toBuffer();
  const right = await drawing("square", "#2040c0").png().toBuffer();
  return sharp({ create: { width: 440, height: 200, channels: 3, background: "white" } })
    .composite([
      { input: left, left: 0, top: 0 },
      { input: right, left: 240, top: 0 },
    ])
    .png()
    .toBuffer();
}

/** A black PNG with one bit per pixel: a thousandth of its pixels in bytes. */
export function pngBomb(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    pngChunk("IHDR", header),
    pngChunk("IDAT", rows),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

export interface DigestModel {
  model: string;
  dimensions: number;
  encoder?: string;
}

/** A model that gives different vectors for different bytes, and nothing else. */
export function describeWith({ model, dimensions }: DigestModel, bytes: Uint8Array): Descriptor {
  const digest = createHash("sha256").update(model).update(bytes).digest();
  const values = Float32Array.from({ length: dimensions }, (_, at) => (digest[at % 32] ?? 0) - 127.5);
  const length = Math.hypot(...values);
  return { model, vector: values.map((value) => value / length) };
}
