import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { imageAddress, parseImageAddress, type SampleImageName } from "./sample-product.ts";

/** Vectors of the sample's images by one model, of length 1. */
export interface SampleVectors {
  readonly model: string;
  /** Undefined if the image is none of the sample's. */
  of(address: string): Float32Array | undefined;
}

/**
 * The file: the length of the rest of the header, which is JSON; then for each image its design and view and the vector's
 * unit (three numbers), then all vectors in eight bits. Little endian.
 */
interface Header {
  model: string;
  dimensions: number;
  images: number;
}

const entryBytes = 8;

/** Describing 1,800 drawings takes 50 s of processor time, at the first start of everybody. So their vectors are shipped. */
export function readSampleVectors(): SampleVectors {
  // Found as a package's file, because the service is bundled.
  const file = createRequire(import.meta.url).resolve("@product-search/sample-catalog/sample-vectors.bin");
  return decodeSampleVectors(readFileSync(file));
}

export function decodeSampleVectors(bytes: Buffer): SampleVectors {
  const headerBytes = bytes.readUInt32LE(0);
  const { model, dimensions, images }: Header = JSON.parse(bytes.toString("utf8", 4, 4 + headerBytes));
  const entries = 4 + headerBytes;
  const vectors = entries + images * entryBytes;
  const places = new Map<string, number>();
  for (let at = 0; at < images; at++) {
    const entry = entries + at * entryBytes;
    places.set(imageAddress({ design: bytes.readUInt16LE(entry), view: bytes.readUInt16LE(entry + 2) }), at);
  }
  return {
    model,
    of(address) {
      const at = places.get(address);
      if (at === undefined) return undefined;
      const unit = bytes.readFloatLE(entries + at * entryBytes + 4);
      const start = vectors + at * dimensions;
      return Float32Array.from({ length: dimensions }, (_, i) => bytes.readInt8(start + i) * unit);
    },
  };
}

export function encodeSampleVectors(
  model: string,
  described: readonly { address: string; vector: Float32Array }[],
): Buffer {
  const dimensions = described[0]?.vector.length ?? 0;
  const header: Header = { model, dimensions, images: described.length };
  const text = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(text.length);
  const entries = Buffer.alloc(described.length * entryBytes);
  const vectors = Buffer.alloc(described.length * dimensions);
  for (const [at, { address, vector }] of described.entries()) {
    const { design, view } = nameOf(address);
    const largest = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
    const whole = vector.map((value) => Math.round((value * 127) / largest));
    entries.writeUInt16LE(design, at * entryBytes);
    entries.writeUInt16LE(view, at * entryBytes + 2);
    // So that the vector has length 1 again.
    entries.writeFloatLE(1 / Math.hypot(...whole), at * entryBytes + 4);
    for (const [i, value] of whole.entries()) vectors.writeInt8(value, at * dimensions + i);
  }
  return Buffer.concat([size, text, entries, vectors]);
}

function nameOf(address: string): SampleImageName {
  const name = parseImageAddress(address);
  if (name === undefined) throw new Error(`${address} is no image of the sample.`);
  return name;
}
