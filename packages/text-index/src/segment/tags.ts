import { nameKey } from "../text/tokenize.ts";
import type { IndexDocument } from "./segment-layout.ts";

// A document has any number of attributes and categories. Both are tags: strings of a name, a zero character and a value, of which
// each document has an ascending list of numbers. A category gives a tag for each of its levels, so that a filter and a count
// of any level read one number.

const separator = "\u0000";
/** The name of the tags for levels of categories. No attribute has it. */
const levelName = "";
/** The name of the tags for the last levels of all categories after the first. */
const furtherName = "\u0001";
/** The name of the tags for names of levels above the last ones. */
const innerName = `${furtherName}inner`;
/** What a document may be. Each is a tag without a value, whose name is that of further categories with its own after it. */
export const documentFlags = ["boosted", "onSale"] as const;
export type DocumentFlag = (typeof documentFlags)[number];
export const pathSeparator = " > ";

/** The prefix of all tags of an attribute. */
export function attributePrefix(name: string): string {
  return `${name}${separator}`;
}

export const levelPrefix = attributePrefix(levelName);
export const furtherPrefix = attributePrefix(furtherName);
export const innerPrefix = attributePrefix(innerName);

export function flagTag(flag: DocumentFlag): string {
  return attributePrefix(furtherName + flag);
}

/** Tags of attributes come after all others. */
export function isAttributeTag(tag: string): boolean {
  return !tag.startsWith(levelPrefix) && !tag.startsWith(furtherName);
}

/** All tags but those of attributes begin with one of these. */
export const reservedPrefixes = [levelPrefix, furtherName];

export function splitTag(tag: string): readonly [name: string, value: string] {
  const at = tag.indexOf(separator);
  return [tag.slice(0, at), tag.slice(at + 1)];
}

/** The categories of a document. One without any has a category with an empty name. */
export function pathsOf({
  categoryPaths = [],
  fields,
}: Pick<IndexDocument, "categoryPaths" | "fields">): ReadonlyArray<readonly string[]> {
  const paths = categoryPaths.filter((path) => path.length > 0);
  return paths.length > 0 ? paths : [[fields.category]];
}

/** Of names that differ only in case and accents, the first is used, so that each is counted once in a document. */
export function tagsOf(
  document: Pick<IndexDocument, "fields" | "categoryPaths" | "attributes" | DocumentFlag>,
): string[] {
  const paths = pathsOf(document);
  const levels = paths.flatMap((path) => path.map((_, i) => path.slice(0, i + 1).join(pathSeparator)));
  const last = [document.fields.category, ...paths.map((path) => path.at(-1) ?? "")];
  const inner = paths.flatMap((path) => path.slice(0, -1)).filter((name) => name !== "");
  const names = firstOfKeys([...last, ...inner], nameKey).slice(1);
  const further = new Set(last);
  return [
    ...firstOfKeys(levels, pathKey).map((level) => levelPrefix + level),
    ...names.map((name) => (further.has(name) ? furtherPrefix : innerPrefix) + name),
    ...documentFlags.filter((flag) => document[flag] === true).map(flagTag),
    ...attributeTags(document),
  ];
}

function attributeTags({ attributes = [] }: Pick<IndexDocument, "attributes">): string[] {
  const prefixes = new Map<string, string>();
  const tags = attributes.filter(isUsable).map(([name, value]) => {
    const key = nameKey(name);
    const prefix = prefixes.get(key) ?? attributePrefix(name);
    prefixes.set(key, prefix);
    return prefix + value;
  });
  return firstOfKeys(tags, tagKey);
}

function firstOfKeys(texts: readonly string[], keyOf: (text: string) => string): string[] {
  const byKey = new Map<string, string>();
  for (const text of texts) {
    const key = keyOf(text);
    if (!byKey.has(key)) byKey.set(key, text);
  }
  return [...byKey.values()];
}

/** No name of a tag. It has no letters, which would count in the hash of a key. */
const levelKey = `${furtherName}${furtherName}`;

/** The same for tags that differ only in case and accents. */
export function tagKey(tag: string): string {
  const [name, value] = splitTag(tag);
  return name === levelName
    ? attributePrefix(levelKey) + pathKey(value)
    : attributePrefix(nameKey(name)) + nameKey(value);
}

/** The normalised form of a path. */
export function pathKey(path: string): string {
  return path.split(pathSeparator).map(nameKey).join(pathSeparator);
}

type Attribute = readonly [name: string, value: string];

/** Whether it gives a tag. */
export function isUsable([name, value]: Attribute): boolean {
  return (
    name !== levelName &&
    !name.startsWith(furtherName) &&
    !name.includes(separator) &&
    !value.includes(separator)
  );
}

/** Documents of a segment, live or deleted, that have any tag of several. */
export interface TaggedDocuments {
  /** One bit per document. */
  readonly bits: Uint8Array;
  readonly count: number;
}

/** `bits` of whole words of 32 documents. */
export function taggedSet(bits: Uint8Array): TaggedDocuments {
  const words = new Uint32Array(bits.buffer, bits.byteOffset, bits.length >>> 2);
  let count = 0;
  // An inner loop. Bits are added up in pairs, fours and bytes.
  for (let i = 0; i < words.length; i++) {
    let left = words[i] ?? 0;
    if (left === 0) continue;
    left -= (left >>> 1) & 0x55555555;
    left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
    count += Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return { bits, count };
}

/** How many documents have each tag, and each attribute. */
export interface TagCounts {
  readonly tags: Uint32Array;
  /** By the place of the attribute among those of the segment. */
  readonly attributes: Uint32Array;
}
