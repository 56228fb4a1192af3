import type { FacetValue, FilterKey, IndexDocument, SearchFilters, SearchQuery } from "../src/index.ts";
import { compareCodePoints } from "../src/segment/string-table.ts";
import { fold, termOf, tokenize } from "../src/text/tokenize.ts";

/** The reference for attributes, categories and groups: simple scans over all documents, without tables or caches. */
export class NaiveCatalog {
  readonly documents: readonly IndexDocument[];

  constructor(documents: Iterable<IndexDocument>) {
    this.documents = [...documents].sort(byQuality);
  }

  /** In the order of quality. `without`: the filter that is ignored. */
  matches({ text, filters = {} }: SearchQuery, without?: FilterKey): IndexDocument[] {
    const kept = without === undefined ? filters : withoutFilter(filters, without);
    const terms = tokenize(text, "query").map(termOf);
    return this.documents.filter((one) => terms.every((term) => termsOf(one).has(term)) && passes(one, kept));
  }

  /** Best first, for a sort by a column. */
  sorted(query: SearchQuery): IndexDocument[] {
    const { sort, order } = query;
    const columnOf = { price: priceOf, rating: ratingOf, discount: discountOf }[
      sort === "price" || sort === "rating" ? sort : "discount"
    ];
    const sign = (order ?? (sort === "price" ? "asc" : "desc")) === "asc" ? 1 : -1;
    return this.matches(query).sort((a, b) => sign * (columnOf(a) - columnOf(b)) || byQuality(a, b));
  }
}

const priceOf = ({ priceMinor }: IndexDocument) => priceMinor;
const ratingOf = ({ rating }: IndexDocument) => Math.fround(rating);
const discountOf = ({ discount }: IndexDocument) => Math.fround(discount);

export function groupOf({ group, id }: IndexDocument): string {
  return group === undefined ? `alone ${id}` : `group ${group}`;
}

/** How many documents, or groups of documents, have each value. Spellings of one are counted together, under the first of them. */
export function countValues(
  documents: readonly IndexDocument[],
  valuesOf: (document: IndexDocument) => readonly string[],
  isGrouped: boolean,
): FacetValue[] {
  const counts = new Map<string, { spellings: string[]; holders: Set<string> }>();
  // A document has the first of its own spellings.
  for (const document of documents)
    for (const [value = ""] of Map.groupBy(valuesOf(document), valueKey).values()) {
      const { spellings, holders } = counts.get(valueKey(value)) ?? { spellings: [], holders: new Set() };
      holders.add(isGrouped ? groupOf(document) : String(document.id));
      counts.set(valueKey(value), { spellings: [...spellings, value], holders });
    }
  return Array.from(counts.values(), ({ spellings: [first = "", ...others], holders }) => ({
    value: others.reduce((one, other) => (compareCodePoints(one, other) <= 0 ? one : other), first),
    count: holders.size,
  }))
    .filter(({ value }) => value !== "")
    .sort((a, b) => b.count - a.count || compareCodePoints(a.value, b.value));
}

/** The same for values that differ only in case and accents; those of a path level by level. */
export function valueKey(value: string): string {
  return value.split(" > ").map(key).join(" > ");
}

/** The first name of the attribute that a document has. */
export function nameOfAttribute(name: string): (document: IndexDocument) => string[] {
  return ({ attributes = [] }) =>
    attributes.map(([other]) => other).filter((other) => key(other) === key(name));
}

export function levelsOf(document: IndexDocument): string[] {
  return pathsIn(document).flatMap((path) => path.map((_, i) => path.slice(0, i + 1).join(" > ")));
}

/** The names of all levels of its categories. */
export function namesOf(document: IndexDocument): string[] {
  return [document.fields.category, ...pathsIn(document).flat()];
}

export function leavesOf(document: IndexDocument): string[] {
  return [
    document.fields.category,
    ...pathsIn(document)
      .slice(1)
      .map((path) => path.at(-1) ?? ""),
  ];
}

export function valuesOfAttribute(name: string): (document: IndexDocument) => string[] {
  return ({ attributes = [] }) =>
    attributes.filter(([other]) => key(other) === key(name)).map(([, value]) => value);
}

function pathsIn({ categoryPaths = [], fields }: IndexDocument): ReadonlyArray<readonly string[]> {
  return categoryPaths.length > 0 ? categoryPaths : [[fields.category]];
}

function key(name: string): string {
  return fold(name).trim();
}

function byQuality(a: IndexDocument, b: IndexDocument): number {
  const quality = Math.fround(b.quality) - Math.fround(a.quality);
  return quality || a.tie - b.tie || a.id - b.id;
}

const termsKnown = new WeakMap<IndexDocument, Set<string>>();

function termsOf(document: IndexDocument): Set<string> {
  const known = termsKnown.get(document) ?? readTerms(document);
  termsKnown.set(document, known);
  return known;
}

function readTerms(document: IndexDocument): Set<string> {
  const { fields, attributes = [] } = document;
  const { store: _, ...read } = fields;
  // The words of higher levels are not those of what is below.
  const texts = [
    ...Object.values(read),
    ...pathsIn(document).map((path) => path.at(-1) ?? ""),
    ...attributes.map(([, value]) => value),
  ];
  const levels = pathsIn(document).flatMap((path) => path.slice(0, -1));
  return new Set([
    ...texts.flatMap((text: string) => tokenize(text).map(termOf)),
    ...levels.flatMap((level) => (tokenize(level).length === 1 ? tokenize(level).map(termOf) : [])),
  ]);
}

function withoutFilter(filters: SearchFilters, without: FilterKey): SearchFilters {
  const { minPriceMinor, maxPriceMinor, minRating, attributes, ...others } = filters;
  return {
    ...others,
    ...(without !== "price" && { minPriceMinor, maxPriceMinor }),
    ...(without !== "rating" && { minRating }),
    attributes: attributes?.filter(({ name }) => `attribute ${key(name)}` !== without),
    ...(without in others && { [without]: undefined }),
  };
}

function passes(document: IndexDocument, filters: SearchFilters): boolean {
  const { source, availability, brands, stores, categories, attributes = [], minRating } = filters;
  const { minPriceMinor = 0, maxPriceMinor = Number.POSITIVE_INFINITY, minDiscount = 0 } = filters;
  const { fields, priceMinor } = document;
  return (
    (source === undefined || document.source === source) &&
    (availability?.includes(document.availability) ?? true) &&
    (brands?.map(key).includes(key(fields.brand)) ?? true) &&
    (stores?.map(key).includes(key(fields.store)) ?? true) &&
    (categories?.some((category) => isUnder(document, category)) ?? true) &&
    minPriceMinor <= priceMinor &&
    priceMinor <= maxPriceMinor &&
    ratingOf(document) >= Math.fround(minRating ?? 0) &&
    discountOf(document) >= Math.fround(minDiscount) &&
    (filters.always === undefined || passes(document, filters.always)) &&
    (filters.onSale !== true || document.onSale === true) &&
    !(filters.notBrands ?? []).map(key).includes(key(fields.brand)) &&
    !(filters.notStores ?? []).map(key).includes(key(fields.store)) &&
    !(filters.notCategories ?? []).some((category) => isUnder(document, category)) &&
    !(filters.notAttributes ?? []).some(({ name, values }) => hasValue(document, name, values)) &&
    attributes.every(({ name }) => hasValue(document, name, valuesFor(attributes, name)))
  );
}

/** Those of all filters on the attribute. */
function valuesFor(filters: SearchFilters["attributes"] = [], name: string): string[] {
  return filters.filter((one) => key(one.name) === key(name)).flatMap(({ values }) => values);
}

function hasValue(document: IndexDocument, name: string, values: readonly string[]): boolean {
  return valuesOfAttribute(name)(document).some((value) => values.map(key).includes(key(value)));
}

function isUnder(document: IndexDocument, category: string): boolean {
  if (category.includes(" > ")) return levelsOf(document).some((level) => key(level) === key(category));
  return pathsIn(document).some((path) => path.some((name) => key(name) === key(category)));
}
