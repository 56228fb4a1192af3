/** A map from words to numbers in a megabyte, where a Map takes ten: open addressing, storing only the hash of a word. */
export class WordTable {
  readonly #hashes: Uint32Array;
  readonly #values: Uint32Array;

  constructor(words: number) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(4, words * 2)));
    this.#hashes = new Uint32Array(slots);
    this.#values = new Uint32Array(slots);
  }

  /** Adds the bits to those of the word. */
  add(word: string, bits: number): void {
    const slot = this.#slotOf(word);
    this.#hashes[slot] = hashOf(word);
    this.#values[slot] = (this.#values[slot] ?? 0) | bits;
  }

  /** The bits of a word; 0 for one that was never added. */
  get(word: string): number {
    return this.#values[this.#slotOf(word)] ?? 0;
  }

  #slotOf(word: string): number {
    const hash = hashOf(word);
    let slot = hash & (this.#hashes.length - 1);
    while (this.#hashes[slot] !== hash && this.#hashes[slot] !== 0)
      slot = (slot + 1) & (this.#hashes.length - 1);
    return slot;
  }
}

/** FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/; never 0, which means an empty slot. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash >>> 0 || 1;
}
