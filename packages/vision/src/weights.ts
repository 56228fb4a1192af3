import { createHash } from "node:crypto";
import { COLOUR_COMPONENTS, SIFT_COMPONENTS, TEXTURE_LENGTH, TINT_LENGTH } from "./compress-patches.ts";
import type { PatchModel } from "./features.ts";
import { FEATURES_LENGTH, RECIPE, TEXTURE_WORDS, TINT_WORDS } from "./features.ts";
import { COLOUR_LENGTH, SIFT_LENGTH } from "./patches.ts";
import type { Projection } from "./project.ts";
import { DIMENSIONS } from "./project.ts";

/** Everything that training leaves behind. */
export interface Weights {
  readonly id: string;
  readonly patches: PatchModel;
  readonly projection: Projection;
  /** The first eight bytes of the SHA-256 of each picture that was trained on, in hexadecimal. */
  readonly trainedOn: readonly string[];
}

/**
 * The file: "PSVISION", the recipe (a number), the count of fingerprints, the SHA-256 of all that follows; then the
 * tables in the order of `SHAPES`, the projection in half precision last, then the fingerprints. Little endian.
 */
const MAGIC = "PSVISION";
const HEADER_BYTES = 48;
const FINGERPRINT_BYTES = 8;
const SHAPES = {
  siftMean: SIFT_LENGTH,
  siftBasis: SIFT_COMPONENTS * SIFT_LENGTH,
  colourMean: COLOUR_LENGTH,
  colourBasis: COLOUR_COMPONENTS * COLOUR_LENGTH,
  textureShares: TEXTURE_WORDS,
  textureMeans: TEXTURE_WORDS * TEXTURE_LENGTH,
  textureVariances: TEXTURE_WORDS * TEXTURE_LENGTH,
  tintShares: TINT_WORDS,
  tintMeans: TINT_WORDS * TINT_LENGTH,
  tintVariances: TINT_WORDS * TINT_LENGTH,
  mean: FEATURES_LENGTH,
};
const TABLE_BYTES = Object.values(SHAPES).reduce((sum, length) => sum + length * 4, 0);
const PROJECTION_LENGTH = DIMENSIONS * FEATURES_LENGTH;

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
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 0, "latin1");
  header.writeUInt32LE(RECIPE, 8);
  header.writeUInt32LE(trainedOn.length, 12);
  createHash("sha256").update(body).digest().copy(header, 16);
  return Buffer.concat([header, body]);
}

/** Throws an error that names `source` when the bytes are not whole weights of this very recipe. */
export function decodeWeights(bytes: Buffer, source: string): Weights {
  const refuse = (fault: string) =>
    new Error(`${source} ${fault}. Restore it from the repository or train it anew (see MODEL_CARD.md).`);
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, 8) !== MAGIC)
    throw refuse("is not a weights file");
  const recipe = bytes.readUInt32LE(8);
  if (recipe !== RECIPE) throw refuse(`is for recipe ${recipe}, but this code computes recipe ${RECIPE}`);
  const fingerprints = bytes.readUInt32LE(12);
  const body = bytes.subarray(HEADER_BYTES);
  if (body.length !== TABLE_BYTES + PROJECTION_LENGTH * 2 + fingerprints * FINGERPRINT_BYTES) {
    throw refuse(`has ${bytes.length} bytes, which is not its right length`);
  }
  const digest = createHash("sha256").update(body).digest();
  if (!digest.equals(bytes.subarray(16, HEADER_BYTES)))
    throw refuse("is damaged: its checksum does not match");
  return { id: `built-in-${recipe}-${digest.toString("hex", 0, 6)}`, ...readTables(body, fingerprints) };
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
    siftMean: take(SHAPES.siftMean),
    siftBasis: take(SHAPES.siftBasis),
    colourMean: take(SHAPES.colourMean),
    colourBasis: take(SHAPES.colourBasis),
  };
  const textures = {
    length: TEXTURE_LENGTH,
    shares: take(SHAPES.textureShares),
    means: take(SHAPES.textureMeans),
    variances: take(SHAPES.textureVariances),
  };
  const tints = {
    length: TINT_LENGTH,
    shares: take(SHAPES.tintShares),
    means: take(SHAPES.tintMeans),
    variances: take(SHAPES.tintVariances),
  };
  const mean = take(SHAPES.mean);
  const rows = Float32Array.from(new Float16Array(aligned, at, PROJECTION_LENGTH));
  at += PROJECTION_LENGTH * 2;
  const trainedOn = Array.from({ length: fingerprints }, (_, i) =>
    body.toString("hex", at + i * FINGERPRINT_BYTES, at + (i + 1) * FINGERPRINT_BYTES),
  );
  return { patches: { compression, textures, tints }, projection: { mean, rows }, trainedOn };
}
