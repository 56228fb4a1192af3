import { readFile, rename, writeFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { KindVectors } from "@product-search/word-meaning";

/** Eight letters, a checksum of what follows, the number of vectors, their keys, and the vectors. */
const magic = "KINDS001";
const checkedFrom = magic.length + 4;
const headerLength = checkedFrom + 4;
/** A hash in base64. */
const keyLength = 28;

/** The vectors that were saved; undefined without a file, or if it is damaged. */
export async function readKindVectors(file: string): Promise<KindVectors | undefined> {
  const bytes = await readFile(file).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  if (bytes === undefined || bytes.length < headerLength) return undefined;
  if (bytes.toString("latin1", 0, magic.length) !== magic) return undefined;
  if (crc32(bytes.subarray(checkedFrom)) !== bytes.readUInt32LE(magic.length)) return undefined;
  const count = bytes.readUInt32LE(checkedFrom);
  const vectorsFrom = headerLength + count * keyLength;
  const keys = Array.from({ length: count }, (_, at) => {
    const from = headerLength + at * keyLength;
    return bytes.toString("latin1", from, from + keyLength);
  });
  // A copy: the place in a buffer of Node need not be a multiple of four.
  return { keys, vectors: new Float32Array(new Uint8Array(bytes.subarray(vectorsFrom)).buffer) };
}

export async function saveKindVectors(file: string, { keys, vectors }: KindVectors): Promise<void> {
  const count = Buffer.alloc(4);
  count.writeUInt32LE(keys.length);
  const numbers = Buffer.from(vectors.buffer, vectors.byteOffset, vectors.byteLength);
  const body = Buffer.concat([count, Buffer.from(keys.join(""), "latin1"), numbers]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(body));
  const draft = `${file}.draft`;
  await writeFile(draft, Buffer.concat([Buffer.from(magic, "latin1"), checksum, body]));
  await rename(draft, file);
}
