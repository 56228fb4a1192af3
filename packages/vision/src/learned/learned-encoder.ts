import { readFileSync } from "node:fs";
import { unitLength } from "../descriptor/project.ts";
import { weightsFiles } from "../identity.ts";
import type { Raster } from "../image/decode-image.ts";
import { readChecked, refuseFile } from "./file-header.ts";
import { createNetwork, inputSide, networkBytes, onWhiteSquare } from "./network.ts";

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
