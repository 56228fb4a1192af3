import { type Availability, availabilities } from "@product-search/core/domain/availability.ts";
import { indexedNumbers } from "@product-search/core/domain/fields.ts";
import {
  categoryPathsOf,
  type ProductSource,
  productSources,
  type StoredProduct,
} from "@product-search/core/domain/product.ts";
import { marketplaces } from "@product-search/core/ports/marketplace-source.ts";
import type { TextFacets, TextFilters, TextHits, TextQuery } from "@product-search/core/ports/text-search.ts";
import {
  detectLanguage,
  english,
  type Facets,
  type IndexDocument,
  type Languages,
  numberColumns,
  type SearchFilters,
  type SearchQuery,
  type SearchResult,
} from "@product-search/text-index";
import type { FacetAttributes } from "./facet-attributes.ts";

/** The index stores these words as numbers: their indices in the domain's lists, which only grow. */
export function sourceCode(source: ProductSource): number {
  return productSources.indexOf(source);
}

export function availabilityCode(availability: Availability): number {
  return availabilities.indexOf(availability);
}

function availabilityOfCode(code: number): Availability {
  const known = availabilities[code];
  if (known === undefined) throw new Error(`No availability has the code ${code}.`);
  return known;
}

/** Without `facets`, all attributes are facets. */
export function toIndexDocument(
  product: StoredProduct,
  languages: Languages = [english],
  facets?: Pick<FacetAttributes, "split">,
): IndexDocument {
  return {
    id: product.rowId,
    tie: tieNumber(product.id),
    keys: [product.id, product.key, product.slug, product.gtin, product.mpn].filter(
      (key) => key !== undefined,
    ),
    fields: {
      name: product.name,
      brand: product.brand ?? "",
      store: product.storeName,
      description: product.description,
      category: product.category ?? "",
    },
    ...(facets?.split(product) ?? { attributes: attributesOf(product) }),
    categoryPaths: categoryPathsOf(product),
    group: product.groupId === undefined ? undefined : groupKey(product.source, product.groupId),
    ...languageOf(product, languages),
    source: sourceCode(product.source),
    priceMinor: product.priceMinor,
    rating: product.averageRating ?? 0,
    discount: product.discountVal,
    numbers: numbersOf(product),
    quality: qualityOf(product),
    boosted: product.isBoosted,
    onSale: (product.originalPriceMinor ?? 0) > product.priceMinor,
    availability: availabilityCode(product.availability),
  };
}

/** In the order of their code points. */
const characters = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
/** 0 is the end of a text. */
const base = characters.length + 1;
const length = 8;
const codes = Uint8Array.from({ length: 128 }, (_, point) => {
  const character = String.fromCharCode(point);
  return [...characters].filter((one) => one <= character).length;
});

/**
 * A whole number with the order of the identifiers of products, as far as their source and the next eight characters tell
 * them apart: a number takes a third of the space, and OpenSearch sorts by it at a fraction of the cost. Identifiers of marketplaces are
 * `<marketplace>_<item code>`, and those of the catalog come first.
 */
export function tieNumber(id: string): number {
  const at = id.indexOf("_") + 1;
  const rank = marketplaces.findIndex((marketplace) => id.startsWith(`${marketplace}_`)) + 1;
  let number = rank;
  for (let i = 0; i < length; i++) {
    const point = id.charCodeAt(at + i);
    number = number * base + (Number.isNaN(point) ? 0 : (codes[Math.min(point, 127)] ?? 0));
  }
  return number;
}

function numbersOf(product: StoredProduct): IndexDocument["numbers"] {
  return Object.fromEntries(numberColumns.map((column) => [column, product[indexedNumbers[column]]]));
}

function attributesOf({ attributes = {} }: StoredProduct): IndexDocument["attributes"] {
  return Object.entries(attributes).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
}

/** A feed gives its groups numbers of its own. */
function groupKey(source: ProductSource, groupId: string): string {
  return `${source} ${groupId}`;
}

export function splitGroupKey(key: string): { source: ProductSource; groupId: string } {
  const source = productSources.find((one) => key.startsWith(groupKey(one, "")));
  if (source === undefined) throw new Error(`"${key}" is not the key of a group.`);
  return { source, groupId: key.slice(groupKey(source, "").length) };
}

const popularityUnit = 1000;

/** Popularity first, then the service score, which is at most 100. A 32-bit float holds both with a decimal. */
function qualityOf({ popularity = 0, serviceScore = 0 }: StoredProduct): number {
  return popularity * popularityUnit + serviceScore;
}

/** Enough to detect a language. */
const detectedLength = 1000;

/** The language that the feed tells or, if that is not one of the catalog, the one that its texts show. */
function languageOf(
  { language, name, description }: StoredProduct,
  languages: Languages,
): { language?: string } {
  if (languages.length === 1) return {};
  const told = languages.find(({ code }) => code === language);
  if (told !== undefined) return { language: told.code };
  const detected = detectLanguage(languages, `${name} ${description.slice(0, detectedLength)}`);
  return detected === undefined ? {} : { language: detected.code };
}

/** Translates a search of the port for the text index, in the same way for every engine. */
export function toSearchQuery({
  filters,
  outOfStockLast = false,
  byMeaning: _,
  ...query
}: TextQuery): SearchQuery {
  return {
    ...query,
    filters: toSearchFilters(filters),
    lastAvailability: lastAvailability(outOfStockLast),
  };
}

/** What comes after all else by relevance. */
export function lastAvailability(outOfStockLast: boolean): number | undefined {
  return outOfStockLast ? availabilityCode("out_of_stock") : undefined;
}

function toSearchFilters({ source, availability, always, ...others }: TextFilters): SearchFilters {
  return {
    ...others,
    source: source && sourceCode(source),
    availability: availability?.map(availabilityCode),
    always: always && toSearchFilters(always),
  };
}

function toTextFacets({ availability, ...facets }: Facets): TextFacets {
  return {
    ...facets,
    availability: availability.map(({ value, count }) => ({ value: availabilityOfCode(value), count })),
  };
}

/** Translates the result of a search for the port. */
export function toTextHits(query: TextQuery, result: SearchResult): TextHits {
  const { rowIds, total, words, correctedText, thing, absentThing, facets, relatedRowIds } = result;
  const isDropped = (as: string) => as === "unknown" || as === "dropped";
  const dropped = query.everyWord === true ? [] : words.filter(({ as }) => isDropped(as));
  return {
    rowIds,
    total,
    sourceHas: sourceHas(result),
    ...(query.grouped !== undefined && { groups: result.groups }),
    droppedWords: dropped.map(({ word }) => word),
    ...(correctedText !== undefined && { correctedText }),
    ...(thing !== undefined && { thing }),
    ...(absentThing !== undefined && { absentThing }),
    ...(query.facets !== undefined && { facets: toTextFacets(facets) }),
    ...(query.relatedCount !== undefined && { relatedRowIds }),
  };
}

function sourceHas({ finds, isThingNamed }: SearchResult): TextHits["sourceHas"] {
  if (finds !== "words") return finds === "nothing" ? "nothing" : "words";
  return isThingNamed ? "thing" : "words";
}
