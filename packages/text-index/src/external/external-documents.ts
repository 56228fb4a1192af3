import { documentValueClass } from "../facets/facet-rows.ts";
import { outsideOf } from "../facets/numeric-attributes.ts";
import { attributeKey, isPath, lastLevelKey } from "../facets/segment-tags.ts";
import { english, type Language } from "../language/language.ts";
import type { AttributeFilter, FilterKey, NumberBounds, SearchFilters } from "../search/search-query.ts";
import { createSegmentBuilder } from "../segment/build/segment-builder.ts";
import { readDocs } from "../segment/packed-postings.ts";
import { keyText } from "../segment/postings.ts";
import { openSegment } from "../segment/segment.ts";
import type { IndexDocument } from "../segment/segment-layout.ts";
import { nameKinds } from "../segment/segment-tables.ts";
import { indexOfString, stringAt } from "../segment/string-table.ts";
import {
  attributePrefix,
  documentFlags,
  furtherPrefix,
  isAttributeTag,
  levelPrefix,
  pathKey,
  splitTag,
  tagsOf,
} from "../segment/tags.ts";
import { readMeasure, scaled } from "../text/measure.ts";
import { nameKey, tokenize } from "../text/tokenize.ts";
import { internalsOfIndex, type TextIndex } from "../text-index.ts";

/** The data of a document that another engine stores besides its fields. */
export interface ExternalDocument {
  readonly id: number;
  /** Every term with its impact, 1 to 255: how much it says about the document. */
  readonly terms: ReadonlyArray<readonly [term: string, impact: number]>;
  /** The keys that a `keyed` step asks for. */
  readonly keys: readonly string[];
  readonly tags: ExternalTags;
  /** The number that `facetRanges` counts. */
  readonly valueClass: number;
}

/** The attributes and categories of a document, for filters and counts. */
export interface ExternalTags {
  /** Every level of its categories with the path to it. */
  readonly levels: readonly string[];
  /** The last names of its categories. */
  readonly categories: readonly string[];
  readonly attributeNames: readonly string[];
  /** Each begins with what `attributePrefix` returns for its name. */
  readonly attributes: readonly string[];
  /** A filter of `filterKeys` asks for one of these: those of categories, of attributes and others. */
  readonly keys: readonly string[];
  readonly categoryKeys: readonly string[];
  readonly attributeKeys: readonly string[];
  /** The numbers of its attributes: keys in the order of the numbers, of which `numberRanges` asks for some. */
  readonly numbers: readonly string[];
}

function externalTags(document: IndexDocument): ExternalTags {
  const tags = [...tagsOf(document)];
  const attributes = tags.filter(isAttributeTag);
  const valuesOf = (prefix: string) =>
    tags.flatMap((tag) => (tag.startsWith(prefix) ? tag.slice(prefix.length) : []));
  const levels = valuesOf(levelPrefix);
  const categoryKeys = levels.flatMap((level) => [pathFilterKey(level), nameFilterKey(level)]);
  const attributeKeys = attributes.map((tag) => attributeFilterKey(...splitTag(tag)));
  const flags = documentFlags.filter((flag) => document[flag] === true);
  const categories = [document.fields.category, ...valuesOf(furtherPrefix)].filter((name) => name !== "");
  return {
    levels: levels.filter((level) => level !== ""),
    categories,
    attributeNames: [...new Set(attributes.map((tag) => splitTag(tag)[0]))],
    attributes,
    keys: [...new Set([...categoryKeys, ...attributeKeys, ...flags])],
    categoryKeys: [...new Set(categoryKeys)],
    attributeKeys,
    numbers: [...new Set(attributes.flatMap((tag) => numberKey(...splitTag(tag)) ?? []))],
  };
}

/** Of each filter on categories, attributes and flags, the keys of which a document must have one, or none for the kind `not`. */
export function filterKeys(filters: SearchFilters): Array<{ kind: FilterKey; keys: string[] }> {
  return [
    ...categoryKeys("categories", filters.categories),
    ...attributeKeys(filters.attributes),
    ...documentFlags.filter((flag) => filters[flag] === true).map((kind) => ({ kind, keys: [kind] })),
    ...categoryKeys("not", filters.notCategories),
    ...attributeKeys(filters.notAttributes).map(({ keys }) => ({ kind: "not" as const, keys })),
  ];
}

function categoryKeys(kind: FilterKey, names: readonly string[] | undefined) {
  if (names === undefined) return [];
  return [{ kind, keys: names.map(categoryFilterKey) }];
}

/** Of what the filter by the name or path finds. */
export function categoryFilterKey(name: string): string {
  return isPath(name) ? pathFilterKey(name) : nameFilterKey(name);
}

function attributeKeys(filters: readonly AttributeFilter[] = []) {
  const byKey = Map.groupBy(filters, ({ name }) => attributeKey(name));
  return Array.from(byKey, ([kind, those]) => ({
    kind,
    keys: those.flatMap(({ name, values }) => values.map((value) => attributeFilterKey(name, value))),
  }));
}

function pathFilterKey(level: string): string {
  return `path ${pathKey(level)}`;
}

function nameFilterKey(level: string): string {
  return `name ${lastLevelKey(level)}`;
}

function attributeFilterKey(name: string, value: string): string {
  return attributePrefix(attributeKey(name)) + nameKey(value);
}

/** Of all numbers of an attribute, whatever their unit. */
export function numberPrefix(attribute: string): string {
  return attributePrefix(nameKey(attribute));
}

/** The attribute, the dimension, the number as a text in the order of numbers, and the number itself. */
function numberKey(name: string, value: string): string | undefined {
  const measure = readMeasure(value);
  if (measure === undefined) return undefined;
  return `${numberPrefix(name)}${measure.dimension} ${orderedText(measure.value)} ${measure.value}`;
}

/** Hexadecimal digits with the order of the numbers: IEEE 754, with the sign turned round. */
function orderedText(number: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number === 0 ? 0 : number);
  const bits = view.getBigUint64(0);
  const turned = bits >> 63n === 0n ? bits | (1n << 63n) : ~bits & 0xffffffffffffffffn;
  return turned.toString(16).padStart(16, "0");
}

/** The keys that a range keeps, both ends included; a document needs one of any of these. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

/** For each range of the filters, which were resolved. */
export function numberRanges({ bounds = [] }: SearchFilters): Array<{ kind: FilterKey; ranges: KeyRange[] }> {
  return bounds.map((one) => ({ kind: one.key, ranges: keyRanges(one) }));
}

/** Of each range in a unit, the keys of which a document needs one, and those of which it has none. */
export function measureRanges({ measureBounds = [] }: SearchFilters): Array<{
  inside: KeyRange[];
  outside: KeyRange[];
}> {
  return measureBounds.map((all) => ({
    inside: all.flatMap(keyRanges),
    outside: all.flatMap(outsideOf).flatMap(keyRanges),
  }));
}

function keyRanges(bounds: NumberBounds): KeyRange[] {
  return [
    keyRange(bounds, bounds.dimension, 1),
    ...(bounds.dimension === "" ? [] : [keyRange(bounds, "", bounds.factor)]),
  ];
}

/** `factor`: base units of the numbers in the keys. */
function keyRange(
  { key, least, most, excludesLeast, excludesMost }: NumberBounds,
  dimension: string,
  factor: number,
): KeyRange {
  const prefix = `${attributePrefix(key.slice("attribute ".length))}${dimension} `;
  const bound = (number: number) =>
    Number.isFinite(number) ? orderedText(scaled(number, 1 / factor)) : number < 0 ? "" : "g";
  return {
    // Every key goes on after the digits: "!" and " " are before and after all keys of this number.
    from: `${prefix}${bound(least)}${excludesLeast ? "!" : ""}`,
    to: `${prefix}${bound(most)}${excludesMost ? "" : "!"}`,
  };
}

/** Reads documents like the index, with the same rules for words, stems, groups and impacts. */
export function externalDocuments(
  documents: readonly IndexDocument[],
  languages: readonly Language[] = [english],
): ExternalDocument[] {
  const builder = createSegmentBuilder({ phrases: false, languages });
  for (const document of documents) builder.add(document);
  const segment = openSegment(builder.build());
  const { ids, postingOffsets, postingImpacts } = segment.sections;
  const termsOf = Array.from(ids, (): [string, number][] => []);
  for (let term = 0; term + 1 < postingOffsets.length; term++) {
    const text = stringAt(segment.terms, term);
    const start = postingOffsets[term] ?? 0;
    readDocs(segment.sections, term).forEach((doc, i) => {
      termsOf[doc]?.push([text, postingImpacts[start + i] ?? 0]);
    });
  }
  const placeOf = new Map(Array.from(ids, (id, doc) => [id, doc]));
  return documents.map((document) => {
    const { id, keys = [], priceMinor, rating } = document;
    return {
      id,
      tags: externalTags(document),
      terms: termsOf[placeOf.get(id) ?? 0] ?? [],
      keys: [...new Set(keys.map(keyText).filter((key) => key !== undefined))],
      valueClass: documentValueClass(priceMinor, Math.fround(rating)),
    };
  });
}

/** The limits of an index that only has to know the words of a catalog. */
export interface SampleSize {
  /** The first documents, always included: the weights of a query's words are computed from them. */
  readonly documents: number;
  /** Further ones, up to this total, that have a word of letters, also of an attribute's values, that the sample lacks. */
  readonly words: number;
  /** Further ones, up to this total, that have a name that the sample lacks. */
  readonly names: number;
}

const letters = /^[\p{L}\p{M}]+$/u;

/**
 * Those of the documents that the sample needs: with these it knows the words and the names of the catalog. It stays
 * small, since a large catalog says few new words; codes and numbers, of which each product may have its own, do not
 * count. `index` is the sample so far.
 */
export function newToSample(
  index: TextIndex,
  documents: readonly IndexDocument[],
  size: SampleSize,
): IndexDocument[] {
  const { readers, statistics, languages } = internalsOfIndex(index);
  const added = new Set<string>();
  const namesOf = ({ fields }: IndexDocument) =>
    nameKinds.map((kind) => ({ kind, name: fields[fieldOf[kind]], key: `${kind} ${fields[fieldOf[kind]]}` }));
  const isNewName = ({ kind, name, key }: ReturnType<typeof namesOf>[number]) =>
    name !== "" && !added.has(key) && readers.every(({ segment }) => indexOfString(segment[kind], name) < 0);
  const isNewWord = (term: string) =>
    letters.test(term) && !added.has(term) && statistics.documentsWith(term) === 0;
  const isNewValue = ({ name, word, key }: ReturnType<typeof valueWordsOf>[number]) =>
    !added.has(key) && !statistics.isInValues(name, word);
  const external = externalDocuments(documents, languages);
  const chosen: IndexDocument[] = [];
  documents.forEach((document, i) => {
    const held = index.documents + chosen.length;
    if (held >= Math.max(size.words, size.names)) return;
    const terms = external[i]?.terms.map(([term]) => term) ?? [];
    const names = namesOf(document);
    const values = valueWordsOf(document);
    const isNeeded =
      held < size.documents ||
      (held < size.words && (terms.some(isNewWord) || values.some(isNewValue))) ||
      (held < size.names && names.some(isNewName));
    if (!isNeeded) return;
    chosen.push(document);
    for (const part of [...terms, ...[...names, ...values].map(({ key }) => key)]) added.add(part);
  });
  return chosen;
}

/** A query with the name of an attribute is read by the words of its values. */
function valueWordsOf({ attributes = [] }: IndexDocument) {
  return attributes.flatMap(([attribute, value]) => {
    const name = nameKey(attribute);
    const words = tokenize(value).filter((word) => letters.test(word));
    return words.map((word) => ({ name, word, key: `${name}: ${word}` }));
  });
}

const fieldOf = { brands: "brand", categories: "category", stores: "store" } as const;
