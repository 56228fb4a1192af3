import { compareCodePoints } from "../string-table.ts";

/** Numbers strings in the order of their arrival, and renumbers them in sorted order at the end. */
export class Interner {
  readonly #numbers = new Map<string, number>();
  readonly strings: string[] = [];

  number(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const fresh = this.strings.length;
    this.#numbers.set(text, fresh);
    this.strings.push(text);
    return fresh;
  }

  get(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  /** The strings sorted by code point, and the new number for each first number. */
  sorted(): { strings: string[]; placeOf: Uint32Array } {
    const order = this.strings.map((_, i) => i);
    order.sort((a, b) => compareCodePoints(this.strings[a] ?? "", this.strings[b] ?? ""));
    const placeOf = new Uint32Array(order.length);
    order.forEach((number, place) => {
      placeOf[number] = place;
    });
    return { strings: order.map((number) => this.strings[number] ?? ""), placeOf };
  }
}
