import { fold } from "./name-list.ts";
import type { ProductAttributes } from "./product.ts";

export const maxAttributes = 50;
/** Of a source: the names of most products are facets and filters, others are shown and searched. */
export const maxFacetAttributes = 500;
export const maxAttributeValues = 20;
export const maxAttributeNameLength = 50;
const maxValueLength = 200;

/** A name with one of its values, in plain text. */
export type AttributePair = readonly [name: string, value: string];

/**
 * Attributes in the form in which they are stored: names in lower case, no value twice. What is too much or too long is
 * cut; `cut` has the name for each of them.
 */
export function toAttributes(pairs: Iterable<AttributePair>): {
  attributes: ProductAttributes | undefined;
  cut: string[];
} {
  const valuesByName = new Map<string, string[]>();
  const cut: string[] = [];
  const shortened = (text: string, longest: number, name: string): string => {
    if (text.length <= longest) return text;
    cut.push(name);
    return text
      .slice(0, longest - 1)
      .toWellFormed()
      .trimEnd()
      .concat("…");
  };
  for (const [writtenName, writtenValue] of pairs) {
    const name = attributeName(writtenName);
    const value = writtenValue.trim();
    if (name === "" || value === "") continue;
    const known = shortened(name, maxAttributeNameLength, name.slice(0, maxAttributeNameLength));
    const text = shortened(value, maxValueLength, known);
    const values = valuesByName.get(known);
    if (values === undefined && valuesByName.size >= maxAttributes) cut.push(known);
    else if (values === undefined) valuesByName.set(known, [text]);
    else if (values.includes(text)) continue;
    else if (values.length >= maxAttributeValues) cut.push(known);
    else values.push(text);
  }
  return { attributes: valuesByName.size === 0 ? undefined : Object.fromEntries(valuesByName), cut };
}

/** The form in which names are stored. */
export function attributeName(written: string): string {
  return written.trim().replace(/\s+/gu, " ").toLowerCase();
}

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
