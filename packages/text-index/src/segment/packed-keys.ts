import type { Sections } from "./segment-layout.ts";

// Keys stand in ascending order, in buckets: their first bits are the number of the bucket, the last 32 are in `keyLows`, and
// those between are in `keyRests`, before the number of the document. With nearly as many bits for a bucket as for a
// document, a rest takes three bytes.
const lowBits = 32;
/** Of the 53 bits of a key. */
const highBits = 21;
const documentsOfBucketBits = 3;
const usualDocumentBits = 24;

type KeySections = Pick<Sections, "keyStarts" | "keyLows" | "keyRests">;

interface KeyLayout {
  readonly bucketBits: number;
  /** The bits of a key between those of the bucket and the last 32. */
  readonly middleBits: number;
  readonly documentBits: number;
  /** What both take. */
  readonly restBytes: number;
}

function layoutFor(documents: number): KeyLayout {
  const documentBits = lowBits - Math.clz32(Math.max(0, documents - 1));
  const bucketBits = Math.min(highBits, Math.max(0, documentBits - documentsOfBucketBits));
  const restBytes = documentBits <= usualDocumentBits ? 3 : 4;
  return { bucketBits, middleBits: highBits - bucketBits, documentBits, restBytes };
}

/** The lengths of the sections for so many keys. */
export function keyLengths(documents: number, keys: number) {
  const { bucketBits, restBytes } = layoutFor(documents);
  return { keyStarts: 2 ** bucketBits + 1, keyLows: keys, keyRests: keys * restBytes };
}

/** Writes the keys in ascending order, each with its document; `end` comes after the last one. */
export class KeyWriter {
  readonly #sections: KeySections;
  readonly #layout: KeyLayout;
  #bucket = 0;
  length = 0;

  constructor(sections: KeySections, documents: number) {
    this.#sections = sections;
    this.#layout = layoutFor(documents);
  }

  add(key: number, doc: number): void {
    const { keyLows, keyRests } = this.#sections;
    const { middleBits, documentBits, restBytes } = this.#layout;
    const high = Math.floor(key / 2 ** lowBits);
    this.#startBuckets(high >>> middleBits);
    keyLows[this.length] = key % 2 ** lowBits;
    let rest = (high % 2 ** middleBits) * 2 ** documentBits + doc;
    for (let at = this.length * restBytes; at < (this.length + 1) * restBytes; at++, rest /= 256)
      keyRests[at] = rest % 256;
    this.length++;
  }

  end(): void {
    this.#startBuckets(2 ** this.#layout.bucketBits);
  }

  #startBuckets(last: number): void {
    while (this.#bucket < last) this.#sections.keyStarts[++this.#bucket] = this.length;
  }
}

export class KeyReader {
  readonly #lows: Uint32Array;
  readonly #rests: Uint8Array;
  readonly #starts: Uint32Array;
  readonly #layout: KeyLayout;

  constructor({ keyStarts, keyLows, keyRests }: KeySections, documents: number) {
    this.#starts = keyStarts;
    this.#lows = keyLows;
    this.#rests = keyRests;
    this.#layout = layoutFor(documents);
  }

  get length(): number {
    return this.#lows.length;
  }

  bucketOf(key: number): number {
    return Math.floor(key / 2 ** (lowBits + this.#layout.middleBits));
  }

  start(bucket: number): number {
    return this.#starts[bucket] ?? 0;
  }

  docAt(at: number): number {
    return this.#restAt(at) % 2 ** this.#layout.documentBits;
  }

  keyAt(at: number, bucket: number): number {
    const { middleBits, documentBits } = this.#layout;
    const middle = Math.floor(this.#restAt(at) / 2 ** documentBits);
    return (bucket * 2 ** middleBits + middle) * 2 ** lowBits + (this.#lows[at] ?? 0);
  }

  #restAt(at: number): number {
    const { restBytes } = this.#layout;
    let rest = 0;
    for (let i = restBytes - 1; i >= 0; i--) rest = rest * 256 + (this.#rests[at * restBytes + i] ?? 0);
    return rest;
  }
}
