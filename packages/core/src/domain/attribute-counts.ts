import { maxFacetAttributes } from "./attributes.ts";
import { fold } from "./fold.ts";
import type { ProductAttributes } from "./product.ts";

/** Of more names, rare ones are forgotten. */
const maxCounted = 50_000;
const shownExamples = 20;

/**
 * How many products have each attribute, in bounded memory. Lossy counting (Manku and Motwani, 2002): rare names are
 * forgotten, frequent ones hardly lose any.
 */
export class AttributeCounts {
  readonly #counts = new Map<string, number>();
  #isComplete = true;
  most = 0;

  addAll(attributes: ProductAttributes): void {
    for (const key of new Set(Object.keys(attributes).map((name) => fold(name).trim()))) this.add(key);
  }

  add(key: string): void {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    this.most = Math.max(this.most, count);
    if (this.#counts.size <= maxCounted) return;
    this.#isComplete = false;
    for (const [name, names] of this.#counts)
      if (names === 1) this.#counts.delete(name);
      else this.#counts.set(name, names - 1);
  }

  clear(): void {
    this.#counts.clear();
    this.most = 0;
  }

  /** Of names with as many products, those of `preferred` come first. */
  mostFrequent(limit: number, preferred: ReadonlySet<string> = new Set()): string[] {
    return [...this.#counts]
      .sort(
        ([one, oneCount], [other, otherCount]) =>
          otherCount - oneCount ||
          Number(preferred.has(other)) - Number(preferred.has(one)) ||
          (one < other ? -1 : 1),
      )
      .slice(0, limit)
      .map(([key]) => key);
  }

  /** For people: which names are no facets and no filters; undefined if all are. */
  describeOthers(): string | undefined {
    if (this.#isComplete && this.#counts.size <= maxFacetAttributes) return undefined;
    const others = this.mostFrequent(this.#counts.size).slice(maxFacetAttributes);
    const number = this.#isComplete ? `${others.length}` : "More than 49,500";
    const examples = others
      .slice(0, shownExamples)
      .map((name) => `"${name}"`)
      .join(", ");
    return `${number} attribute names are no filters and no facets, because at most ${maxFacetAttributes} of a source are, those of most products${examples && `: ${examples}${others.length > shownExamples ? " …" : ""}`}`;
  }
}
