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

/** The order of the names does not matter, that of the values does. */
export function sameAttributes(
  one: ProductAttributes | undefined = {},
  other: ProductAttributes | undefined = {},
): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => {
      const values = Object.hasOwn(other, name) ? other[name] : undefined;
      return values !== undefined && sameTexts(one[name] ?? [], values);
    })
  );
}

export function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}
