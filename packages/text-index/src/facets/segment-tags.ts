import type { AttributeFilter, FilterKey, SearchFilters } from "../search/search-query.ts";
import { type Deletions, isDeleted, openSegment, type Segment, type Snapshot } from "../segment/segment.ts";
import { compareCodePoints, prefixRange, stringAt, stringCount } from "../segment/string-table.ts";
import {
  attributePrefix,
  type DocumentFlag,
  documentFlags,
  flagTag,
  furtherPrefix,
  innerPrefix,
  levelPrefix,
  pathKey,
  pathSeparator,
  reservedPrefixes,
  splitTag,
  tagKey,
} from "../segment/tags.ts";
import { nameKey } from "../text/tokenize.ts";
import { findVariants, type Variants } from "./frequent-values.ts";

/** An attribute of a segment and the range of its tags. */
export interface AttributeTags {
  readonly name: string;
  readonly key: FilterKey;
  readonly from: number;
  readonly to: number;
}

const attributesOf = new WeakMap<Segment, readonly AttributeTags[]>();

/** The attributes that any document has, by name. Names may differ in case and accents only. */
export function attributesIn(segment: Segment): readonly AttributeTags[] {
  const known = attributesOf.get(segment) ?? listAttributes(segment);
  attributesOf.set(segment, known);
  return known;
}

function listAttributes(segment: Segment): AttributeTags[] {
  const attributes: AttributeTags[] = [];
  const reserved = reservedPrefixes.map((prefix) => prefixRange(segment.tags, prefix)[1]);
  for (let from = Math.max(...reserved); from < stringCount(segment.tags); ) {
    const [name] = splitTag(stringAt(segment.tags, from));
    const [, to] = prefixRange(segment.tags, attributePrefix(name));
    attributes.push({ name, key: attributeKey(name), from, to });
    from = to;
  }
  return attributes;
}

/** The attributes of which some document has several values. */
export interface RepeatedAttributes {
  readonly some: boolean;
  /** By the place of the attribute in `attributesIn`. */
  has(place: number): boolean;
  /** For each tag, the place of its attribute plus 1 if it is one of these, else 0. */
  readonly numbers: Uint32Array;
}

const repeatedOf = new WeakMap<Segment, RepeatedAttributes>();

export function repeatedAttributes(segment: Segment): RepeatedAttributes {
  const known = repeatedOf.get(segment) ?? findRepeated(segment);
  repeatedOf.set(segment, known);
  return known;
}

/** For each tag, the place of its attribute in `attributesIn` plus 1, or 0 if it is of none. */
function attributeNumbers(segment: Segment): Uint32Array {
  const numbers = new Uint32Array(stringCount(segment.tags));
  attributesIn(segment).forEach(({ from, to }, i) => {
    numbers.fill(i + 1, from, to);
  });
  return numbers;
}

function findRepeated(segment: Segment): RepeatedAttributes {
  const attributes = attributesIn(segment);
  const numbers = attributeNumbers(segment);
  const places = placesRepeated(segment, numbers);
  attributes.forEach(({ from, to }, i) => {
    if (!places.has(i)) numbers.fill(0, from, to);
  });
  return { some: places.size > 0, has: (place) => places.has(place), numbers };
}

/** An inner loop. A document's tags of one attribute are adjacent. */
function placesRepeated(
  { documents, sections: { tagRows, tagStarts } }: Segment,
  numbers: Uint32Array,
): Set<number> {
  const places = new Set<number>();
  for (let doc = 0; doc < documents; doc++) {
    const end = tagStarts[doc + 1] ?? 0;
    let last = 0;
    for (let at = tagStarts[doc] ?? 0; at < end; at++) {
      const attribute = numbers[tagRows[at] ?? 0] ?? 0;
      if (attribute !== 0 && attribute === last) places.add(attribute - 1);
      last = attribute;
    }
  }
  return places;
}

const valuesOf = new WeakMap<Segment, (string | undefined)[]>();
/** A segment with more tags does not keep their texts. */
const keptTexts = 1 << 16;

/** The texts of the most frequent values are read by nearly every search with facets. */
export function tagValue(segment: Segment, tag: number): string {
  const known = valuesOf.get(segment) ?? [];
  valuesOf.set(segment, known);
  const value = known[tag] ?? splitTag(stringAt(segment.tags, tag))[1];
  if (stringCount(segment.tags) <= keptTexts) known[tag] = value;
  return value;
}

const variantsOf = new WeakMap<Segment, Variants>();

export function tagVariants(segment: Segment): Variants {
  const known =
    variantsOf.get(segment) ?? findVariants(segment.tags, { keyOf: tagKey, compare: compareTags });
  variantsOf.set(segment, known);
  return known;
}

/** By their values: the names of variants are written in several ways, too. */
export function compareTags(one: string, other: string): number {
  return compareCodePoints(splitTag(one)[1], splitTag(other)[1]);
}

export function levelRange(segment: Segment): readonly [from: number, to: number] {
  return prefixRange(segment.tags, levelPrefix);
}

export function furtherRange(segment: Segment): readonly [from: number, to: number] {
  return prefixRange(segment.tags, furtherPrefix);
}

export function innerRange(segment: Segment): readonly [from: number, to: number] {
  return prefixRange(segment.tags, innerPrefix);
}

/** A filter on tags: a document passes if it has any of the tags for which `marks` returns 1, or none of them if it is of kind `not`. */
export interface TagCondition {
  readonly kind: FilterKey;
  /** The same for conditions with the same documents. */
  readonly id: string;
  marks(segment: Segment): Uint8Array;
}

export function attributeKey(name: string): FilterKey {
  return `attribute ${nameKey(name)}`;
}

/** The filters on categories, attributes and flags. Several on one attribute are one filter on any of all their values. */
export function tagConditions(filters: SearchFilters): TagCondition[] {
  const { categories, notCategories } = filters;
  return [
    ...(categories === undefined ? [] : [categoryCondition(categories)]),
    ...attributeConditions(filters.attributes),
    ...documentFlags.filter((flag) => filters[flag] === true).map((flag) => flagConditions[flag]),
    ...(notCategories === undefined ? [] : [negated(categoryCondition(notCategories))]),
    ...attributeConditions(filters.notAttributes).map(negated),
  ];
}

function negated(condition: TagCondition): TagCondition {
  return { ...condition, kind: "not", id: `not ${condition.id}` };
}

/** Passed by documents with the flag. */
export const flagConditions: Readonly<Record<DocumentFlag, TagCondition>> = {
  boosted: flagCondition("boosted"),
  onSale: flagCondition("onSale"),
};

function flagCondition(flag: DocumentFlag): TagCondition {
  return {
    kind: flag,
    id: flag,
    marks: (segment) => {
      const [from, to] = prefixRange(segment.tags, flagTag(flag));
      return new Uint8Array(stringCount(segment.tags)).fill(1, from, to);
    },
  };
}

function attributeConditions(filters: readonly AttributeFilter[] = []): TagCondition[] {
  if (filters.length === 0) return [];
  return Array.from(
    Map.groupBy(filters, ({ name }) => attributeKey(name)),
    ([kind, those]) => attributeCondition(kind, those),
  );
}

function categoryCondition(categories: readonly string[]): TagCondition {
  return {
    kind: "categories",
    id: JSON.stringify(["categories", ...categories]),
    marks: (segment) => markLevels(segment, categories),
  };
}

function markLevels(segment: Segment, categories: readonly string[]): Uint8Array {
  const paths = new Set(categories.map(pathKey));
  const names = new Set(categories.filter((name) => !isPath(name)).map(nameKey));
  const marks = new Uint8Array(stringCount(segment.tags));
  const [from, to] = levelRange(segment);
  for (let tag = from; tag < to; tag++) {
    const level = tagValue(segment, tag);
    if (paths.has(pathKey(level)) || names.has(lastLevelKey(level))) marks[tag] = 1;
  }
  return marks;
}

export function isPath(category: string): boolean {
  return category.includes(pathSeparator);
}

export function lastLevelKey(path: string): string {
  return nameKey(path.split(pathSeparator).at(-1) ?? "");
}

function attributeCondition(kind: FilterKey, filters: readonly AttributeFilter[]): TagCondition {
  const name = nameKey(filters[0]?.name ?? "");
  const wanted = new Set(filters.flatMap(({ values }) => values.map(nameKey)));
  return {
    kind,
    id: JSON.stringify([kind, ...wanted]),
    marks: (segment) => {
      const marks = new Uint8Array(stringCount(segment.tags));
      const { numbersOf } = tagVariants(segment);
      const [first] = attributesIn(segment);
      for (const tag of [...wanted].flatMap((value) => numbersOf(attributePrefix(name) + value)))
        if (first !== undefined && tag >= first.from) marks[tag] = 1;
      return marks;
    },
  };
}

/** For each source, how many documents have each attribute, by the key of its name. */
export function countAttributeNames(snapshot: Snapshot): Map<number, Map<string, number>> {
  const counts = new Map<number, Map<string, number>>();
  for (const { deletions, ...handle } of snapshot.segments)
    addNames({ segment: openSegment(handle), deletions }, counts);
  return counts;
}

/** The keys of the names that documents of a source have, or of all sources. */
export function attributeNamesIn(parts: readonly OpenPart[], source: number | undefined): Set<string> {
  const counts = new Map<number, Map<string, number>>();
  for (const part of parts) addNames(part, counts);
  const sources = source === undefined ? [...counts.keys()] : [source];
  return new Set(sources.flatMap((one) => [...(counts.get(one)?.keys() ?? [])]));
}

interface OpenPart {
  readonly segment: Segment;
  readonly deletions: Deletions | undefined;
}

/** A document's tags of one attribute are adjacent. */
function addNames({ segment, deletions }: OpenPart, counts: Map<number, Map<string, number>>): void {
  const { sources, tagRows, tagStarts } = segment.sections;
  const keys = attributesIn(segment).map(({ name }) => nameKey(name));
  const numbers = attributeNumbers(segment);
  const bySource = new Map<number, Uint32Array>();
  for (let doc = 0; doc < segment.documents; doc++) {
    if (deletions !== undefined && isDeleted(deletions, doc)) continue;
    const source = sources[doc] ?? 0;
    const documents = bySource.get(source) ?? new Uint32Array(keys.length + 1);
    bySource.set(source, documents);
    let last = 0;
    for (let at = tagStarts[doc] ?? 0; at < (tagStarts[doc + 1] ?? 0); at++) {
      const number = numbers[tagRows[at] ?? 0] ?? 0;
      if (number !== last) documents[number] = (documents[number] ?? 0) + 1;
      last = number;
    }
  }
  for (const [source, documents] of bySource) {
    const names = counts.get(source) ?? new Map<string, number>();
    counts.set(source, names);
    keys.forEach((key, i) => {
      const some = documents[i + 1] ?? 0;
      if (some > 0) names.set(key, (names.get(key) ?? 0) + some);
    });
  }
}
