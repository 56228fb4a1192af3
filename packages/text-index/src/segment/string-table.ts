const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Strings in UTF-8, one after the other; `offsets` has one entry more than there are strings. */
export interface StringTable {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

/** Strings in UTF-8 that are added one after the other, without an array for each. */
class GrowingStrings {
  #bytes = Buffer.allocUnsafeSlow(1 << 12);
  #offsets = new Uint32Array(1 << 8);
  count = 0;

  add(text: string): void {
    const at = this.#offsets[this.count] ?? 0;
    const most = at + text.length * 3;
    if (most > this.#bytes.length) {
      const former = this.#bytes;
      this.#bytes = Buffer.allocUnsafeSlow(Math.max(most, former.length * 2));
      this.#bytes.set(former);
    }
    if (++this.count === this.#offsets.length) {
      const former = this.#offsets;
      this.#offsets = new Uint32Array(former.length * 2);
      this.#offsets.set(former);
    }
    this.#offsets[this.count] = at + this.#bytes.write(text, at);
  }

  table(): StringTable {
    const offsets = this.#offsets.slice(0, this.count + 1);
    return { offsets, bytes: new Uint8Array(this.#bytes.subarray(0, offsets[this.count])) };
  }
}

export function packStrings(strings: Iterable<string>): StringTable {
  const packed = new GrowingStrings();
  for (const text of strings) packed.add(text);
  return packed.table();
}

export function stringCount(table: StringTable): number {
  return table.offsets.length - 1;
}

export function stringAt(table: StringTable, index: number): string {
  // TextDecoder does not accept views of shared memory, so the bytes are copied.
  return decoder.decode(table.bytes.slice(table.offsets[index] ?? 0, table.offsets[index + 1] ?? 0));
}

/** The first index whose string is not below `key`, in a table sorted by code point. */
export function lowerBound(table: StringTable, key: string): number {
  return lowerBoundOf(table, encoder.encode(key));
}

function lowerBoundOf(table: StringTable, key: Uint8Array): number {
  let low = 0;
  let high = stringCount(table);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareStringAt(table, middle, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of `key` in a sorted table, or −1. */
export function indexOfString(table: StringTable, key: string): number {
  const wanted = encoder.encode(key);
  const index = lowerBoundOf(table, wanted);
  if (index === stringCount(table)) return -1;
  return compareStringAt(table, index, wanted) === 0 ? index : -1;
}

/** The half-open range of strings that begin with `prefix`, in a sorted table. */
export function prefixRange(table: StringTable, prefix: string): readonly [from: number, to: number] {
  return [lowerBound(table, prefix), lowerBound(table, `${prefix}\u{10ffff}`)];
}

/** The indexes of the strings that end with this one, except itself: one pass over their last bytes. */
export function indexesEndingWith(
  table: StringTable,
  ending: string,
  endAt = (index: number) => table.offsets[index + 1] ?? 0,
): number[] {
  const wanted = encoder.encode(ending);
  const found: number[] = [];
  for (let index = 0; index < stringCount(table); index++) {
    const start = endAt(index) - wanted.length;
    if (start <= (table.offsets[index] ?? 0)) continue;
    let at = wanted.length - 1;
    while (at >= 0 && table.bytes[start + at] === wanted[at]) at--;
    if (at < 0) found.push(index);
  }
  return found;
}

function compareStringAt(table: StringTable, index: number, other: Uint8Array): number {
  const start = table.offsets[index] ?? 0;
  const length = (table.offsets[index + 1] ?? 0) - start;
  const common = Math.min(length, other.length);
  for (let i = 0; i < common; i++) {
    const difference = (table.bytes[start + i] ?? 0) - (other[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return length - other.length;
}

/** Compares two strings of two tables by code point. */
export function compareStringsAt(a: StringTable, indexA: number, b: StringTable, indexB: number): number {
  const startA = a.offsets[indexA] ?? 0;
  const startB = b.offsets[indexB] ?? 0;
  const lengthA = (a.offsets[indexA + 1] ?? 0) - startA;
  const lengthB = (b.offsets[indexB + 1] ?? 0) - startB;
  const common = Math.min(lengthA, lengthB);
  for (let i = 0; i < common; i++) {
    const difference = (a.bytes[startA + i] ?? 0) - (b.bytes[startB + i] ?? 0);
    if (difference !== 0) return difference;
  }
  return lengthA - lengthB;
}

/** For each string of a sorted table, the number of letters that it shares with the one before, at most 255. */
export function sharedLetters({ offsets, bytes }: StringTable): Uint8Array {
  const shared = new Uint8Array(offsets.length - 1);
  for (let index = 1; index < shared.length; index++) {
    const before = offsets[index - 1] ?? 0;
    const start = offsets[index] ?? 0;
    const common = Math.min(start - before, (offsets[index + 1] ?? 0) - start);
    let letters = 0;
    let i = 0;
    for (; i < common && bytes[before + i] === bytes[start + i]; i++)
      if (!isContinuation(bytes[start + i])) letters++;
    // The last letter is shared only if all its bytes are.
    const isCut = i < common && (isContinuation(bytes[before + i]) || isContinuation(bytes[start + i]));
    if (isCut) letters--;
    shared[index] = Math.min(letters, 255);
  }
  return shared;
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Code point order, which is the order of UTF-8 bytes. (`<` orders by UTF-16 units: surrogates before U+E000.) */
export function compareCodePoints(a: string, b: string): number {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return sortableUnit(x) - sortableUnit(y);
  }
  return a.length - b.length;
}

function sortableUnit(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

const surrogate = /[\ud800-\udfff]/;

/** Sorts by code point. Without surrogates, that is the order of UTF-16 units, which is faster. */
export function sortCodePoints(strings: string[]): string[] {
  return strings.some((text) => surrogate.test(text)) ? strings.sort(compareCodePoints) : strings.sort();
}

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
  const reader = new FrontCodedReader(strings);
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
  const reader = new FrontCodedReader({ blockOffsets, bytes });
  reader.start(blockOffsets.length - 2);
  let count = (blockOffsets.length - 2) * blockLength;
  for (; reader.at < bytes.length; count++) reader.next();
  return count;
}

/** The index of a string, or −1. */
export function indexOfCoded(strings: FrontCodedStrings, key: string): number {
  const target = packStrings([key]).bytes;
  const reader = new FrontCodedReader(strings);
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
class FrontCodedReader {
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
