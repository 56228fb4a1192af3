import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { inflateSync } from "node:zlib";

const magic = "WORDS001";

const numberTypes = {
  scales: Float32Array,
  wordStarts: Uint32Array,
  nameStarts: Uint32Array,
  meaningStarts: Uint32Array,
  aboveStarts: Uint32Array,
  meanings: Uint16Array,
  above: Uint16Array,
  bare: Uint8Array,
  words: Uint8Array,
  names: Uint8Array,
  vectors: Int8Array,
} as const;
type SectionName = keyof typeof numberTypes;
export type Sections = { readonly [Name in SectionName]: InstanceType<(typeof numberTypes)[Name]> };

/** The table as it lies in memory: one buffer, which threads can share. */
export interface WordTable {
  readonly dimensions: number;
  readonly sections: Sections;
}

/** Reads and unpacks the file that is part of this package: 5.9 MB in memory that threads share without a copy. */
export function readWordTable(path: URL | string = shippedTable()): SharedArrayBuffer {
  const unpacked = inflateSync(readFileSync(path));
  const buffer = new SharedArrayBuffer(unpacked.length);
  new Uint8Array(buffer).set(unpacked);
  return buffer;
}

/** Found as a package's file, because the service is bundled. */
function shippedTable(): string {
  return createRequire(import.meta.url).resolve("@product-search/word-meaning/words.bin");
}

/** Opens a buffer of `readWordTable`. Nothing is copied. */
export function openWordTable(buffer: SharedArrayBuffer): WordTable {
  const textOf = (start: number, end: number) => Buffer.from(buffer, start, end - start).toString();
  if (textOf(0, magic.length) !== magic)
    throw new Error("The table of words has another format. Make it again with make/make_table.py.");
  const headerStart = magic.length + 4;
  const headerEnd = headerStart + new DataView(buffer).getUint32(magic.length, true);
  const { dimensions, sections } = parseHeader(textOf(headerStart, headerEnd));
  const starts = new Map<string, { readonly start: number; readonly bytes: number }>();
  let end = headerEnd;
  for (const { name, bytes } of sections) {
    const start = Math.ceil(end / 4) * 4;
    starts.set(name, { start, bytes });
    end = start + bytes;
  }
  const section = (name: SectionName) => {
    const place = starts.get(name);
    if (place === undefined) throw new Error(`The table of words lacks its section "${name}".`);
    return place;
  };
  const read = <Numbers>(
    type: {
      new (buffer: SharedArrayBuffer, start: number, length: number): Numbers;
      readonly BYTES_PER_ELEMENT: number;
    },
    name: SectionName,
  ) => {
    const { start, bytes } = section(name);
    return new type(buffer, start, bytes / type.BYTES_PER_ELEMENT);
  };
  return {
    dimensions,
    sections: {
      scales: read(Float32Array, "scales"),
      wordStarts: read(Uint32Array, "wordStarts"),
      nameStarts: read(Uint32Array, "nameStarts"),
      meaningStarts: read(Uint32Array, "meaningStarts"),
      aboveStarts: read(Uint32Array, "aboveStarts"),
      meanings: read(Uint16Array, "meanings"),
      above: read(Uint16Array, "above"),
      bare: read(Uint8Array, "bare"),
      words: read(Uint8Array, "words"),
      names: read(Uint8Array, "names"),
      vectors: read(Int8Array, "vectors"),
    },
  };
}

interface Header {
  readonly dimensions: number;
  readonly sections: ReadonlyArray<{ readonly name: string; readonly bytes: number }>;
}

function parseHeader(text: string): Header {
  const header: Header = JSON.parse(text);
  return header;
}

/** The place of a text in a sorted list of texts; −1 if it is not there. Compares bytes, so nothing is decoded. */
export function findText(starts: Uint32Array, bytes: Uint8Array, text: string): number {
  let low = 0;
  let high = starts.length - 2;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = compareAt(bytes, starts[middle] ?? 0, starts[middle + 1] ?? 0, text);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** The texts are ASCII: a byte is a character. */
function compareAt(bytes: Uint8Array, start: number, end: number, text: string): number {
  const length = Math.min(end - start, text.length);
  for (let at = 0; at < length; at++) {
    const difference = (bytes[start + at] ?? 0) - text.charCodeAt(at);
    if (difference !== 0) return difference;
  }
  return end - start - text.length;
}
