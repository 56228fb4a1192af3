import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Index } from "usearch";

/** The manifest of the base file; written after it. */
export interface VectorFile {
  format: typeof format;
  model: string;
  dimensions: number;
  encoder?: string | undefined;
  /** The sequence of the last change of the vectors in the file. */
  sequence: number;
  vectors: number;
  maxRowId: number;
  file: string;
  bytes: number;
  crc32: number;
}

const format = 1;
const manifest = "manifest.json";
const dataFile = /^vectors-\d+-[0-9a-f]{8}\.usearch$/;
const draftSuffix = ".draft";
const chunkBytes = 1 << 24;
/** Writing a file never takes this long. */
const draftMs = 3_600_000;
/** A process names a complete file in the manifest within this time. */
const unnamedMs = 60_000;

const require = createRequire(import.meta.url);

/** The native code is loaded with the first index: a thread without one does without it. */
export function createIndex(dimensions: number): Index {
  const { Index, MetricKind, ScalarKind }: typeof import("usearch") = require("usearch");
  return new Index({
    dimensions,
    // Vectors have length 1: the inner product is their cosine.
    metric: MetricKind.IP,
    quantization: ScalarKind.F16,
    connectivity: 16,
    expansion_add: 128,
    expansion_search: 512,
    multi: false,
  });
}

export type KeptFile = { file: VectorFile; unusable?: undefined } | { file?: undefined; unusable: string };

/** The contents of the folder's manifest, or why it cannot be used. */
export function readVectorFile(folder: string): KeptFile {
  try {
    const [checksum, body = ""] = readFileSync(join(folder, manifest), "utf8").split("\n", 2);
    if (checksum !== String(crc32(body))) return { unusable: "the manifest is damaged" };
    // The checksum proves that this service wrote it, so its form is known.
    const file = JSON.parse(body) as VectorFile;
    return file.format === format ? { file } : { unusable: "it has another format" };
  } catch (error) {
    const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
    return { unusable: isAbsent ? "there is none yet" : String(error) };
  }
}

/** Reads the whole file once; undefined if it is intact, else what is wrong. */
export function findDamage(
  folder: string,
  { file, bytes, crc32: checksum, ...described }: VectorFile,
): string | undefined {
  try {
    const path = join(folder, file);
    if (!dataFile.test(file)) return "the manifest names a strange file";
    if (statSync(path).size !== bytes) return `${file} has another size than when it was written`;
    if (checksumOf(path) !== checksum) return `${file} is damaged: its checksum differs`;
    const index = viewVectors(path, described.dimensions);
    return index.size() === described.vectors ? undefined : `${file} holds another number of vectors`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The file, mapped into memory that all readers share. */
export function viewVectors(path: string, dimensions: number): Index {
  const index = createIndex(dimensions);
  index.view(path);
  // usearch accepts any dimensions that the file has.
  if (index.dimensions() !== dimensions) {
    throw new Error(`${path} holds vectors of ${index.dimensions()} dimensions instead of ${dimensions}`);
  }
  return index;
}

/**
 * Puts the index into the folder atomically: a crash leaves the former file or the new one. Several processes may do so at
 * the same time.
 */
export function writeVectorFile(
  folder: string,
  index: Index,
  description: Pick<VectorFile, "model" | "dimensions" | "encoder" | "sequence" | "maxRowId">,
): VectorFile {
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `${randomUUID()}${draftSuffix}`);
  index.save(draft);
  sync(draft);
  const checksum = checksumOf(draft);
  const file = `vectors-${description.sequence}-${checksum.toString(16).padStart(8, "0")}.usearch`;
  const written: VectorFile = {
    format,
    ...description,
    vectors: index.size(),
    file,
    bytes: statSync(draft).size,
    crc32: checksum,
  };
  renameSync(draft, join(folder, file));
  const body = JSON.stringify(written);
  const draftManifest = join(folder, `${randomUUID()}${draftSuffix}`);
  writeFileSync(draftManifest, `${crc32(body)}\n${body}\n`);
  sync(draftManifest);
  renameSync(draftManifest, join(folder, manifest));
  sync(folder);
  return written;
}

/**
 * Removes files that are no longer used: those that this process has `replaced` at once. A reader of a removed file keeps it
 * until it closes it. The file in the manifest may be another process's, and so may a new draft, or a new file that is
 * not in the manifest yet.
 */
export function removeVectorFilesExcept(
  folder: string,
  kept: readonly string[],
  replaced: ReadonlySet<string> = new Set(),
): void {
  mkdirSync(folder, { recursive: true });
  const named = readVectorFile(folder).file?.file;
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    const isUnused =
      dataFile.test(file) &&
      file !== named &&
      !kept.includes(file) &&
      (replaced.has(file) || isOlder(path, unnamedMs));
    if (isUnused || (file.endsWith(draftSuffix) && isOlder(path, draftMs))) rmSync(path, { force: true });
  }
}

function isOlder(path: string, ageMs: number): boolean {
  const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return mtimeMs < Date.now() - ageMs;
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function checksumOf(path: string): number {
  const chunk = new Uint8Array(chunkBytes);
  const descriptor = openSync(path, "r");
  try {
    let checksum = 0;
    for (;;) {
      const read = readSync(descriptor, chunk, 0, chunkBytes, null);
      if (read === 0) return checksum;
      checksum = crc32(chunk.subarray(0, read), checksum);
    }
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The index as all threads share it: a file that never changes (`base`), the vectors added since (`delta`), and the products
 * of the base that they replace (`removed`). One thread writes in place; the others see the changes at once.
 */
export interface VectorSegments {
  model: string;
  dimensions: number;
  base: { path: string; vectors: number } | undefined;
  delta: SharedArrayBuffer;
  removed: SharedArrayBuffer;
  /** The typical similarity of two products. */
  typicalSimilarity: number;
}

/** Keys of the base contain product and image: this many images per product are possible. */
export const imagesPerKey = 16;
const headerBytes = 16;

export interface Delta {
  readonly capacity: number;
  /** The number of rows; rows with the number 0 are void. */
  rows(): number;
  rowIdAt(row: number): number;
  /** All vectors, one after the other. */
  readonly vectors: Float32Array;
  /** The sequence up to which the segments have all changes of the vectors. */
  sequence(): number;
  append(rowId: number, vector: Float32Array): number;
  void(row: number): void;
  reach(sequence: number): void;
}

export function deltaBytes(dimensions: number, capacity: number): number {
  return headerBytes + capacity * 4 * (1 + dimensions);
}

export function openDelta(memory: SharedArrayBuffer, dimensions: number): Delta {
  const capacity = (memory.byteLength - headerBytes) / (4 * (1 + dimensions));
  const header = new BigInt64Array(memory, 0, 2);
  const rowIds = new Uint32Array(memory, headerBytes, capacity);
  const vectors = new Float32Array(memory, headerBytes + capacity * 4);
  const rows = () => Number(Atomics.load(header, 0));
  return {
    capacity,
    rows,
    rowIdAt: (row) => Atomics.load(rowIds, row),
    vectors,
    sequence: () => Number(Atomics.load(header, 1)),
    append(rowId, vector) {
      const row = rows();
      if (row >= capacity) throw new Error("The delta of the vector index is full.");
      vectors.set(new Float16Array(vector), row * dimensions);
      Atomics.store(rowIds, row, rowId);
      // Last, because from here on other threads read the row.
      Atomics.store(header, 0, BigInt(row + 1));
      return row;
    },
    void: (row) => void Atomics.store(rowIds, row, 0),
    reach: (sequence) => void Atomics.store(header, 1, BigInt(sequence)),
  };
}

export interface Removed {
  has(rowId: number): boolean;
  add(rowId: number): void;
}

/** One bit per product, up to the largest row id of the base. */
export function openRemoved(memory: SharedArrayBuffer): Removed {
  const bits = new Uint8Array(memory);
  return {
    has: (rowId) => ((Atomics.load(bits, rowId >>> 3) >>> (rowId & 7)) & 1) === 1,
    add(rowId) {
      if (rowId >>> 3 < bits.length) Atomics.or(bits, rowId >>> 3, 1 << (rowId & 7));
    },
  };
}
