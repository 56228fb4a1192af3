import { createHash } from "node:crypto";

/** The length of the vectors that the weights make. */
export const descriptorDimensions = 384;

/**
 * The file of weights: "PSVISION", the recipe (a number), the number of fingerprints, the SHA-256 of all that follows; then
 * the tables in the order of `shapes`, the projection last and in half precision; then the fingerprints. Little endian.
 */
export const magic = "PSVISION";
export const headerBytes = 48;

/** Throws an error that names `source` if this is not a file of weights. */
export function readHeader(
  bytes: Buffer,
  source: string,
): { recipe: number; fingerprints: number; body: Buffer } {
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

export function refuseWeights(source: string, fault: string): Error {
  return new Error(
    `${source} ${fault}. Restore it from the repository or train it anew (see MODEL_CARD.md).`,
  );
}
