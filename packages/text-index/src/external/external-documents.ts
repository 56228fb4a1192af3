import { nameKey } from "../facets/segment-names.ts";
import { attributeKey, isPath, lastLevelKey, pathKey } from "../facets/segment-tags.ts";
import { documentValueClass } from "../facets/value-classes.ts";
import { english, type Language } from "../language/language.ts";
import type { AttributeFilter, FilterKey, SearchFilters } from "../search/search-query.ts";
import { createSegmentBuilder } from "../segment/build/segment-builder.ts";
import { keyText } from "../segment/exact-keys.ts";
import type { IndexDocument } from "../segment/index-document.ts";
import { readDocs } from "../segment/packed-postings.ts";
import { openSegment } from "../segment/segment.ts";
import { stringAt } from "../segment/string-table.ts";
import {
  attributePrefix,
  documentFlags,
  furtherPrefix,
  isAttributeTag,
  levelPrefix,
  splitTag,
  tagsOf,
} from "../segment/tags.ts";

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
  /** A filter of `filterKeys` asks for one of these. */
  readonly keys: readonly string[];
}

function externalTags(document: IndexDocument): ExternalTags {
  const tags = [...tagsOf(document)];
  const attributes = tags.filter(isAttributeTag);
  const valuesOf = (prefix: string) =>
    tags.flatMap((tag) => (tag.startsWith(prefix) ? tag.slice(prefix.length) : []));
  const levels = valuesOf(levelPrefix);
  const keys = [
    ...levels.flatMap((level) => [pathFilterKey(level), nameFilterKey(level)]),
    ...attributes.map((tag) => attributeFilterKey(...splitTag(tag))),
    ...documentFlags.filter((flag) => document[flag] === true),
  ];
  return {
    levels: levels.filter((level) => level !== ""),
    categories: [...new Set([document.fields.category, ...valuesOf(furtherPrefix)])].filter(
      (name) => name !== "",
    ),
    attributeNames: [...new Set(attributes.map((tag) => splitTag(tag)[0]))],
    attributes,
    keys: [...new Set(keys)],
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
  return [{ kind, keys: names.map((name) => (isPath(name) ? pathFilterKey(name) : nameFilterKey(name))) }];
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
  return `attribute ${attributePrefix(nameKey(name))}${nameKey(value)}`;
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
