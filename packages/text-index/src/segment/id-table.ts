import { type Deletions, isDeleted } from "./deletions.ts";
import type { Segment } from "./segment.ts";

/** Finds a segment's document by its id: open addressing in one Uint32Array, 8 to 16 bytes per document. */
export class IdTable {
  readonly #slots: Uint32Array;
  readonly #ids: Uint32Array;

  constructor(segment: Segment) {
    this.#ids = segment.sections.ids;
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(4, this.#ids.length * 2))));
    this.#ids.forEach((id, doc) => {
      let slot = this.#slotOf(id);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (this.#slots.length - 1);
      this.#slots[slot] = doc + 1;
    });
  }

  /** The live document with this id, if any. */
  find(id: number, deletions: Deletions | undefined): number | undefined {
    let slot = this.#slotOf(id);
    for (let found = this.#slots[slot] ?? 0; found !== 0; found = this.#slots[slot] ?? 0) {
      if (this.#ids[found - 1] === id) {
        return deletions !== undefined && isDeleted(deletions, found - 1) ? undefined : found - 1;
      }
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    return undefined;
  }

  #slotOf(id: number): number {
    return (Math.imul(id, 0x9e3779b1) >>> 0) & (this.#slots.length - 1);
  }
}
