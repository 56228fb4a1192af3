import { packStrings, type StringTable } from "./string-table.ts";

// Of a sorted table with long, similar strings, such as the names of groups, each string is stored as the number of bytes
// that it shares with the one before, the number of the others, and the others. Every sixteenth shares none.
const blockLength = 16;
const mostShared = 255;
const lengthBits = 7;
const moreLength = 1 << lengthBits;
/** The number of shared bytes takes one, and the number of the others, below 2³², up to five. */
const maxLengthBytes = 6;

export interface FrontCodedStrings {
  /** The start of each block, and the end of the last one. */
  readonly blockOffsets: Uint32Array;
  readonly bytes: Uint8Array;
  readonly count: number;
}

export function frontCode({ offsets, bytes }: StringTable): FrontCodedStrings {
  const count = offsets.length - 1;
  const coded = new Uint8Array(bytes.length + count * maxLengthBytes);
  const blockOffsets = new Uint32Array(Math.ceil(count / blockLength) + 1);
  let to = 0;
  for (let index = 0; index < count; index++) {
    const start = offsets[index] ?? 0;
    const end = offsets[index + 1] ?? 0;
    let shared = 0;
    if (index % blockLength === 0) blockOffsets[index / blockLength] = to;
    else {
      const before = offsets[index - 1] ?? 0;
      const common = Math.min(start - before, end - start, mostShared);
      while (shared < common && bytes[before + shared] === bytes[start + shared]) shared++;
    }
    coded[to++] = shared;
    let length = end - start - shared;
    for (; length >= moreLength; length = Math.floor(length / moreLength))
      coded[to++] = (length % moreLength) + moreLength;
    coded[to++] = length;
    for (let at = start + shared; at < end; at++) coded[to++] = bytes[at] ?? 0;
  }
  blockOffsets[blockOffsets.length - 1] = to;
  return { blockOffsets, bytes: coded.slice(0, to), count };
}

/** The strings as they were before. */
export function unpackStrings(strings: FrontCodedStrings): StringTable {
  const offsets = new Uint32Array(strings.count + 1);
  let length = 0;
  const reader = new Reader(strings);
  for (let index = 0; index < strings.count; index++) {
    length += reader.next().length;
    offsets[index + 1] = length;
  }
  const bytes = new Uint8Array(length);
  reader.start(0);
  for (let index = 0; index < strings.count; index++) bytes.set(reader.next(), offsets[index]);
  return { offsets, bytes };
}

/** The number of strings in sections. */
export function countStrings(blockOffsets: Uint32Array, bytes: Uint8Array): number {
  if (blockOffsets.length < 2) return 0;
  const reader = new Reader({ blockOffsets, bytes });
  reader.start(blockOffsets.length - 2);
  let count = (blockOffsets.length - 2) * blockLength;
  for (; reader.at < bytes.length; count++) reader.next();
  return count;
}

/** The index of a string, or −1. */
export function indexOfCoded(strings: FrontCodedStrings, key: string): number {
  const target = packStrings([key]).bytes;
  const reader = new Reader(strings);
  let low = 0;
  let high = Math.max(0, strings.blockOffsets.length - 2);
  // The last block whose first string is not after the key.
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    reader.start(middle);
    if (compareBytes(reader.next(), target) > 0) high = middle - 1;
    else low = middle;
  }
  reader.start(low);
  const end = Math.min(strings.count, (low + 1) * blockLength);
  for (let index = low * blockLength; index < end; index++)
    if (compareBytes(reader.next(), target) === 0) return index;
  return -1;
}

/** Reads one string after the other. */
class Reader {
  readonly #blockOffsets: Uint32Array;
  readonly #bytes: Uint8Array;
  #text = new Uint8Array(256);
  #length = 0;
  at = 0;

  constructor({ blockOffsets, bytes }: Omit<FrontCodedStrings, "count">) {
    this.#blockOffsets = blockOffsets;
    this.#bytes = bytes;
  }

  start(block: number): void {
    this.at = this.#blockOffsets[block] ?? 0;
  }

  /** The bytes of the next string. The following call overwrites them. */
  next(): Uint8Array {
    const bytes = this.#bytes;
    const shared = bytes[this.at++] ?? 0;
    let others = 0;
    let byte = moreLength;
    for (let unit = 1; byte >= moreLength; unit *= moreLength) {
      byte = bytes[this.at++] ?? 0;
      others += (byte % moreLength) * unit;
    }
    this.#length = shared + others;
    if (this.#length > this.#text.length) {
      const longer = new Uint8Array(this.#length * 2);
      longer.set(this.#text);
      this.#text = longer;
    }
    for (let i = shared; i < this.#length; i++) this.#text[i] = bytes[this.at++] ?? 0;
    return this.#text.subarray(0, this.#length);
  }
}

function compareBytes(text: Uint8Array, other: Uint8Array): number {
  const common = Math.min(text.length, other.length);
  for (let i = 0; i < common; i++) {
    const difference = (text[i] ?? 0) - (other[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return text.length - other.length;
}
