import { readFileSync } from "node:fs";
import { unitLength } from "../descriptor/project.ts";
import { weightsFiles } from "../identity.ts";
import type { Raster } from "../image/decode-image.ts";
import { readChecked, refuseFile } from "./file-header.ts";
import { createNetwork, inputSide, networkBytes } from "./network.ts";

export interface LearnedEncoder {
  /** A vector of length 1. The longer side of the raster is `inputSide`. */
  encode(raster: Raster): Float32Array;
}

/** EfficientNet-Lite0, whose weights are part of this package. Throws if the file is missing or damaged. */
export function loadLearnedEncoder(): LearnedEncoder {
  const { network } = weightsFiles();
  const run = createNetwork(decodeNetwork(readFileSync(network), network));
  return { encode: (raster) => unitLength(run(onWhiteSquare(raster))) };
}

/** Throws an error that names `source` if the bytes are not complete weights for this network. */
export function decodeNetwork(bytes: Buffer, source: string): Uint8Array {
  const { body } = readChecked(bytes, "network", source);
  if (body.length !== networkBytes)
    throw refuseFile(source, `has ${body.length} bytes instead of ${networkBytes}`);
  return body;
}

/** In the middle of a white square. */
function onWhiteSquare({ width, height, rgb }: Raster): Uint8Array {
  const square = new Uint8Array(inputSide * inputSide * 3).fill(255);
  const [left, top] = [(inputSide - width) >> 1, (inputSide - height) >> 1];
  for (let row = 0; row < height; row++)
    square.set(rgb.subarray(row * width * 3, (row + 1) * width * 3), ((row + top) * inputSide + left) * 3);
  return square;
}
