import { readFileSync } from "node:fs";
import { createProjector, type Projection, unitLength } from "../descriptor/compress-patches.ts";
import { descriptorDimensions } from "../descriptor/weights.ts";
import { readChecked, refuseFile, weightsFiles, writeHeader } from "../identity.ts";
import type { Raster } from "../image/open-image.ts";
import { createNetwork, embeddingLength, inputSide, networkBytes, onWhiteSquare } from "./network.ts";

export interface LearnedEncoder {
  /** A vector of length 1. The longer side of the raster is `inputSide`. */
  encode(raster: Raster): Float32Array;
}

/** EfficientNet-Lite0, whose weights are part of this package. Throws if the file is missing or damaged. */
export function loadLearnedEncoder(): LearnedEncoder {
  const run = createNetwork(readNetwork());
  return { encode: (raster) => unitLength(run(onWhiteSquare(raster, inputSide))) };
}

export function readNetwork(): Uint8Array {
  const { network } = weightsFiles();
  return decodeNetwork(readFileSync(network), network);
}

/** Throws an error that names `source` if the bytes are not complete weights for this network. */
export function decodeNetwork(bytes: Buffer, source: string): Uint8Array {
  const { body } = readChecked(bytes, "network", source);
  if (body.length !== networkBytes)
    throw refuseFile(source, `has ${body.length} bytes instead of ${networkBytes}`);
  return body;
}

/** How the vectors of the small model and of the network become one. */
export interface Joining {
  /** How much the network's vector counts beside the small model's, which counts 1. */
  readonly weight: number;
  readonly projection: Projection;
}

export const joinedLength = descriptorDimensions + embeddingLength;

const bodyBytes = 4 + 4 * joinedLength + 2 * descriptorDimensions * joinedLength;

/** After the header: the weight, the mean, the rows in half precision. Little endian. */
export function encodeJoining({ weight, projection: { mean, rows } }: Joining): Buffer {
  const body = Buffer.concat([
    Buffer.from(Float32Array.of(weight).buffer),
    Buffer.from(Float32Array.from(mean).buffer),
    Buffer.from(Float16Array.from(rows).buffer),
  ]);
  return Buffer.concat([writeHeader("joined", body), body]);
}

/** Throws an error that names `source` if the bytes are not a complete file. */
export function decodeJoining(bytes: Buffer, source: string): Joining {
  const { body } = readChecked(bytes, "joined", source);
  if (body.length !== bodyBytes) throw refuseFile(source, `has ${body.length} bytes instead of ${bodyBytes}`);
  const aligned = new Uint8Array(body).buffer;
  const [weight = 1] = new Float32Array(aligned, 0, 1);
  const mean = new Float32Array(aligned, 4, joinedLength);
  const rows = Float32Array.from(new Float16Array(aligned, 4 + 4 * joinedLength));
  return { weight, projection: { mean, rows } };
}

/** Both vectors, each of length 1, become one of length 1. */
export function createJoiner({
  weight,
  projection,
}: Joining): (small: Float32Array, embedding: Float32Array) => Float32Array {
  const project = createProjector(projection);
  return (small, embedding) => project(sideBySide(small, embedding, weight));
}

export function sideBySide(small: Float32Array, embedding: Float32Array, weight: number): Float32Array {
  const both = new Float32Array(joinedLength);
  both.set(small);
  both.set(
    embedding.map((value) => value * weight),
    small.length,
  );
  return both;
}
