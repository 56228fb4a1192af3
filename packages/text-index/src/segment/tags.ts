import { fold } from "../text/fold.ts";
import type { IndexDocument } from "./index-document.ts";

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

export function tagsOf(
  document: Pick<IndexDocument, "fields" | "categoryPaths" | "attributes" | DocumentFlag>,
): Set<string> {
  const paths = pathsOf(document);
  const levels = paths.flatMap((path) => path.map((_, i) => path.slice(0, i + 1).join(pathSeparator)));
  const last = new Set([document.fields.category, ...paths.map((path) => path.at(-1) ?? "")]);
  const inner = paths.flatMap((path) => path.slice(0, -1)).filter((name) => name !== "" && !last.has(name));
  return new Set([
    ...levels.map((level) => levelPrefix + level),
    ...[...last].filter((name) => name !== document.fields.category).map((name) => furtherPrefix + name),
    ...inner.map((name) => innerPrefix + name),
    ...documentFlags.filter((flag) => document[flag] === true).map(flagTag),
    ...attributesOf(document).map(([name, value]) => attributePrefix(name) + value),
  ]);
}

/** Of names that differ only in case and accents, the first is used, so that each name is counted once in a document. */
function attributesOf({ attributes = [] }: Pick<IndexDocument, "attributes">): Attribute[] {
  const spelling = new Map<string, string>();
  return attributes.filter(isUsable).map(([name, value]) => {
    const key = sameNameKey(name);
    const known = spelling.get(key) ?? name;
    spelling.set(key, known);
    return [known, value];
  });
}

type Attribute = readonly [name: string, value: string];

/** The same for names that differ only in case and accents. */
export function sameNameKey(name: string): string {
  return fold(name).trim();
}

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

/** How many documents have each tag, and each attribute. */
export interface TagCounts {
  readonly tags: Uint32Array;
  /** By the place of the attribute among those of the segment. */
  readonly attributes: Uint32Array;
}
