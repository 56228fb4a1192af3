/**
 * The inputs of a merge, each in its order, by their next entries: `first` is the one whose entry comes next. To find the
 * following one takes few steps even with many inputs: they are a heap.
 */
export class MergeQueue {
  readonly #heap: number[] = [];
  readonly #compare: (one: number, other: number) => number;

  /** `compare` compares the next entries of two inputs. Equal ones come in the order of their inputs. */
  constructor(inputs: Iterable<number>, compare: (one: number, other: number) => number) {
    this.#compare = compare;
    for (const input of inputs) this.#heap.push(input);
    for (let at = this.#heap.length >>> 1; at >= 0; at--) this.#moveDown(at);
  }

  get first(): number | undefined {
    return this.#heap[0];
  }

  /** The next entry of the first input is another one now, or it has no more. */
  advance(hasMore: boolean): void {
    const last = hasMore ? this.#heap[0] : this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#moveDown(0);
  }

  #moveDown(start: number): void {
    const heap = this.#heap;
    const input = heap[start];
    if (input === undefined) return;
    let at = start;
    for (;;) {
      let under = 2 * at + 1;
      let least = heap[under];
      if (least === undefined) break;
      const other = heap[under + 1];
      if (other !== undefined && this.#order(other, least) < 0) {
        under++;
        least = other;
      }
      if (this.#order(input, least) < 0) break;
      heap[at] = least;
      at = under;
    }
    heap[at] = input;
  }

  #order(one: number, other: number): number {
    return this.#compare(one, other) || one - other;
  }
}
