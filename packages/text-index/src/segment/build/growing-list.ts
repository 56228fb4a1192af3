const chunkBits = 14;
const chunkLength = 1 << chunkBits;

/** A list of unsigned integers that grows in chunks: nothing is copied, and it never needs twice its size in memory. */
export class GrowingList<T extends Uint8Array | Uint32Array> {
  readonly #allocate: (length: number) => T;
  readonly #chunks: T[] = [];
  #last: T;
  #filled = chunkLength;
  length = 0;

  constructor(allocate: (length: number) => T) {
    this.#allocate = allocate;
    this.#last = allocate(0);
  }

  push(value: number): void {
    if (this.#filled === chunkLength) {
      this.#last = this.#allocate(chunkLength);
      this.#chunks.push(this.#last);
      this.#filled = 0;
    }
    this.#last[this.#filled++] = value;
    this.length++;
  }

  at(index: number): number {
    return this.#chunks[index >>> chunkBits]?.[index & (chunkLength - 1)] ?? 0;
  }
}

export const growingUint32 = (): GrowingList<Uint32Array> =>
  new GrowingList((length) => new Uint32Array(length));
export const growingUint8 = (): GrowingList<Uint8Array> =>
  new GrowingList((length) => new Uint8Array(length));
