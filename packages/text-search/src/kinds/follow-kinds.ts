import { readFile, rename, writeFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { isCategoryName } from "@product-search/core/domain/category-paths.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { UntilChange } from "@product-search/core/mechanisms/versions.ts";
import type { KindFinder, MeantKinds, NamedKind } from "@product-search/core/ports/kind-finder.ts";
import {
  type CatalogKind,
  chooseKinds,
  closestKinds,
  createKindTable,
  findKinds,
  isFixedName,
  type KindTable,
  type KindVectors,
  type MeaningMemory,
  namedThing,
  openWordMeaning,
  type ProductTexts,
  readMeaning,
  type WordMeaning,
} from "@product-search/word-meaning";
import { pauseForSearches } from "../apply-changes.ts";
import { type CatalogLog, countProducts } from "../catalog-log.ts";

/** The kinds of the catalog, and what gives texts a meaning, both in memory that threads share. */
export interface KindsOfCatalog {
  readonly memory: MeaningMemory;
  readonly table: KindTable;
}

export interface FollowKindsSettings {
  readonly log: CatalogLog;
  /** Where the meanings of the kinds are saved between starts: a kind takes some 10 ms of processor time. */
  readonly file: string;
  /** Called with the kinds when they are known, and whenever they may have changed. */
  readonly publish: (kinds: KindsOfCatalog) => void;
  /** Called if the catalog or the file could not be read or written. It is retried; searches keep the former kinds. */
  readonly onError: (error: unknown) => void;
  /** Awaited before the first kinds if none are saved: what the service waits for at its start takes the same thread. */
  readonly untilFree?: (signal: AbortSignal) => Promise<void>;
  readonly pollMs?: number;
  readonly untilChange?: UntilChange;
}

/** A kind with fewer products than this share of a large catalog may be missed. */
const sampleSize = 20_000;
const batchSize = 256;
/** The beginning of a description says what the product is for. */
const descriptionLength = 300;
/** The rest of the time is left to searches while the catalog keeps changing. */
const pauseFactor = 20;

/**
 * Finds the kinds of the catalog's products, again after changes, and publishes them. It reads a sample in small batches, beside the
 * work of its thread. Ends when the signal aborts.
 */
export async function followKinds(
  { log, file, publish, onError, untilFree, pollMs = 1000, untilChange = pause }: FollowKindsSettings,
  signal: AbortSignal,
): Promise<void> {
  const memory = readMeaning();
  const meaning = openWordMeaning(memory);
  let vectors: KindVectors | undefined;
  let sequence: number | undefined;
  while (!signal.aborted) {
    const startedAt = performance.now();
    try {
      const newest = await log.lastSequence();
      if (newest !== sequence) {
        vectors ??= await readKindVectors(file);
        if (vectors === undefined) await untilFree?.(signal);
        const products = await sampleProducts(log, signal);
        if (signal.aborted) return;
        const table = await createKindTable(meaning, findKinds(meaning, products), vectors, () => {
          signal.throwIfAborted();
          return pauseForSearches();
        });
        publish({ memory, table });
        sequence = newest;
        const isSaved = vectors !== undefined && sameKeys(vectors, table);
        vectors = table;
        if (!isSaved) await saveKindVectors(file, table);
      }
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    await untilChange(Math.max(pollMs, pauseFactor * (performance.now() - startedAt)), signal);
  }
}

function sameKeys(one: KindVectors, other: KindVectors): boolean {
  return one.keys.length === other.keys.length && one.keys.every((key, at) => key === other.keys[at]);
}

/** All products of a small catalog; of a large one, groups of neighbours that are spread evenly. */
async function sampleProducts(log: CatalogLog, signal: AbortSignal): Promise<ProductTexts[]> {
  const batches = Math.ceil(sampleSize / batchSize);
  const isSmall = (await countProducts(log)) <= sampleSize;
  const step = isSmall ? 0 : (await lastRow(log)) / batches;
  const texts: ProductTexts[] = [];
  let after = 0;
  for (let batch = 0; !signal.aborted && (isSmall || batch < batches); batch++) {
    const products = await log.scan(isSmall ? after : Math.floor(batch * step), batchSize);
    texts.push(...products.filter(({ source }) => source === "catalog").map(toTexts));
    after = products.at(-1)?.rowId ?? after;
    if (isSmall && products.length < batchSize) break;
    await pauseForSearches();
  }
  return texts;
}

/** About the greatest row id: there are no rows beyond twice this. */
async function lastRow(log: CatalogLog): Promise<number> {
  let row = sampleSize;
  while ((await log.scan(row * 2, 1)).length > 0) row *= 2;
  let reached = row;
  for (let step = row / 2; step >= batchSize; step /= 2)
    if ((await log.scan(Math.floor(reached + step), 1)).length > 0) reached = Math.floor(reached + step);
  return reached;
}

function toTexts(product: StoredProduct): ProductTexts {
  const { name, brand = "", category = "", categoryPaths: [path = []] = [], groupId, description } = product;
  return {
    name,
    brand,
    // The number of a category in a taxonomy names no kind.
    category: isCategoryName(category) ? category : "",
    path: path.slice(0, -1).filter(isCategoryName),
    ...(groupId !== undefined && { group: groupId }),
    description: description.slice(0, descriptionLength),
  };
}

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

/** Finds kinds among the newest ones that `followKinds` published. `subscribe` is called once. */
export function createKindFinder(subscribe: (receive: (kinds: KindsOfCatalog) => void) => void): KindFinder {
  let newest: KindsOfCatalog | undefined;
  let opened: WordMeaning | undefined;
  let levels: ReadonlySet<string> = new Set();
  let levelsOf: KindsOfCatalog["table"] | undefined;
  subscribe((kinds) => {
    newest = kinds;
  });
  // Once: the memory is the same for every catalog, but each message has a new handle of it.
  const meaningOf = ({ memory }: KindsOfCatalog): WordMeaning => (opened ??= openWordMeaning(memory));
  return {
    kindsMeant(text) {
      if (newest === undefined) return undefined;
      const chosen = chooseKinds(meaningOf(newest), newest.table, text);
      return chosen && toMeantKinds(chosen);
    },
    kindsNear(text, limit) {
      if (newest === undefined) return [];
      const { table } = newest;
      if (levelsOf !== table) {
        levelsOf = table;
        levels = new Set(table.kinds.flatMap(({ path }) => path));
      }
      const isLevel = ({ category }: CatalogKind) => levels.has(category);
      return closestKinds(meaningOf(newest), table, text, limit, isLevel).map(({ kind, score }) => ({
        kind: toNamedKind(kind),
        score,
      }));
    },
    namedThing: (text) => newest && namedThing(meaningOf(newest), text),
    isFixedName: (text) => newest !== undefined && isFixedName(meaningOf(newest), text),
  };
}

function toMeantKinds({ kinds, closest, ...rest }: ReturnType<typeof chooseKinds> & object): MeantKinds {
  return { ...rest, kinds: kinds.map(toNamedKind), closest: closest.map(toNamedKind) };
}

/** A category is all of its products; another name must be in them. */
function toNamedKind({ name, category }: CatalogKind): NamedKind {
  return { name, category, words: name === category ? "" : name };
}
