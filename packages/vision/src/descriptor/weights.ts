import { createHash } from "node:crypto";
import {
  colourComponents,
  type Projection,
  siftComponents,
  textureLength,
  tintLength,
} from "./compress-patches.ts";
import { featureRecipe, featuresLength, type PatchModel, textureWords, tintWords } from "./features.ts";
import { colourLength, siftLength } from "./patches.ts";

/** The length of the vectors that the weights make. */
export const descriptorDimensions = 384;

/**
 * The file of weights: "PSVISION", the recipe (a number), the number of fingerprints, the SHA-256 of all that follows; then
 * the tables in the order of `shapes`, the projection last and in half precision; then the fingerprints. Little endian.
 */
const magic = "PSVISION";
const headerBytes = 48;

/** Throws an error that names `source` if this is not a file of weights. */
function readHeader(bytes: Buffer, source: string): { recipe: number; fingerprints: number; body: Buffer } {
  if (bytes.length < headerBytes || bytes.toString("latin1", 0, 8) !== magic)
    throw refuseWeights(source, "is not a weights file");
  return {
    recipe: bytes.readUInt32LE(8),
    fingerprints: bytes.readUInt32LE(12),
    body: bytes.subarray(headerBytes),
  };
}

/** The id of the model with these weights. Throws if they are damaged. */
export function identifyWeights(bytes: Buffer, source: string): string {
  const { recipe, body } = readHeader(bytes, source);
  const digest = createHash("sha256").update(body).digest();
  if (!digest.equals(bytes.subarray(16, headerBytes)))
    throw refuseWeights(source, "is damaged: its checksum does not match");
  return `built-in-${recipe}-${digest.toString("hex", 0, 6)}`;
}

function refuseWeights(source: string, fault: string): Error {
  return new Error(
    `${source} ${fault}. Restore it from the repository or train it anew (see MODEL_CARD.md).`,
  );
}

/** Everything that training produces. */
export interface Weights {
  readonly id: string;
  readonly patches: PatchModel;
  readonly projection: Projection;
  /** The first eight bytes of the SHA-256 of each image that was trained on, in hexadecimal. */
  readonly trainedOn: readonly string[];
}

const fingerprintBytes = 8;
const shapes = {
  siftMean: siftLength,
  siftBasis: siftComponents * siftLength,
  colourMean: colourLength,
  colourBasis: colourComponents * colourLength,
  textureShares: textureWords,
  textureMeans: textureWords * textureLength,
  textureVariances: textureWords * textureLength,
  tintShares: tintWords,
  tintMeans: tintWords * tintLength,
  tintVariances: tintWords * tintLength,
  mean: featuresLength,
};
const tableBytes = Object.values(shapes).reduce((sum, length) => sum + length * 4, 0);
const projectionLength = descriptorDimensions * featuresLength;

export function encodeWeights({ patches, projection, trainedOn }: Omit<Weights, "id">): Buffer {
  const { compression, textures, tints } = patches;
  const tables = [
    compression.siftMean,
    compression.siftBasis,
    compression.colourMean,
    compression.colourBasis,
    textures.shares,
    textures.means,
    textures.variances,
    tints.shares,
    tints.means,
    tints.variances,
    projection.mean,
  ].map((table) => Buffer.from(Float32Array.from(table).buffer));
  const rows = Buffer.from(Float16Array.from(projection.rows).buffer);
  const body = Buffer.concat([
    ...tables,
    rows,
    ...trainedOn.map((fingerprint) => Buffer.from(fingerprint, "hex")),
  ]);
  const header = Buffer.alloc(headerBytes);
  header.write(magic, 0, "latin1");
  header.writeUInt32LE(featureRecipe, 8);
  header.writeUInt32LE(trainedOn.length, 12);
  createHash("sha256").update(body).digest().copy(header, 16);
  return Buffer.concat([header, body]);
}

/** Throws an error that names `source` if the bytes are not complete weights for exactly this recipe. */
export function decodeWeights(bytes: Buffer, source: string): Weights {
  const { recipe, fingerprints, body } = readHeader(bytes, source);
  if (recipe !== featureRecipe)
    throw refuseWeights(source, `is for recipe ${recipe}, but this code computes recipe ${featureRecipe}`);
  if (body.length !== tableBytes + projectionLength * 2 + fingerprints * fingerprintBytes)
    throw refuseWeights(source, `has ${bytes.length} bytes, which is not its right length`);
  return { id: identifyWeights(bytes, source), ...readTables(body, fingerprints) };
}

function readTables(body: Buffer, fingerprints: number): Omit<Weights, "id"> {
  const aligned = new Uint8Array(body).buffer;
  let at = 0;
  const take = (length: number) => {
    const table = new Float32Array(aligned, at, length);
    at += length * 4;
    return table;
  };
  const compression = {
    siftMean: take(shapes.siftMean),
    siftBasis: take(shapes.siftBasis),
    colourMean: take(shapes.colourMean),
    colourBasis: take(shapes.colourBasis),
  };
  const textures = {
    length: textureLength,
    shares: take(shapes.textureShares),
    means: take(shapes.textureMeans),
    variances: take(shapes.textureVariances),
  };
  const tints = {
    length: tintLength,
    shares: take(shapes.tintShares),
    means: take(shapes.tintMeans),
    variances: take(shapes.tintVariances),
  };
  const mean = take(shapes.mean);
  const rows = Float32Array.from(new Float16Array(aligned, at, projectionLength));
  at += projectionLength * 2;
  const trainedOn = Array.from({ length: fingerprints }, (_, i) =>
    body.toString("hex", at + i * fingerprintBytes, at + (i + 1) * fingerprintBytes),
  );
  return { patches: { compression, textures, tints }, projection: { mean, rows }, trainedOn };
}
