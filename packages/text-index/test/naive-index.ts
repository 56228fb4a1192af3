import {
  asStored,
  type IndexDocument,
  isNumberColumn,
  type SearchFilters,
  type SearchQuery,
} from "../src/index.ts";
import { compareCodePoints } from "../src/segment/string-table.ts";
import { termOf } from "../src/text/term.ts";
import { tokenize } from "../src/text/tokenize.ts";

/** The reference for the index: a simple scan over all documents. */
export class NaiveIndex {
  readonly documents = new Map<number, IndexDocument>();

  apply(upserts: readonly IndexDocument[], deletes: readonly number[]): void {
    for (const id of deletes) this.documents.delete(id);
    for (const document of upserts) this.documents.set(document.id, document);
  }

  /** The documents with every word, ordered by quality and tie key. */
  matches({ text, filters = {} }: Pick<SearchQuery, "text" | "filters">): IndexDocument[] {
    const wanted = tokenize(text, "query").map(termOf);
    return [...this.documents.values()]
      .filter((document) => wanted.every((term) => termsOf(document).has(term)) && passes(document, filters))
      .sort(byQuality);
  }

  /** The documents with at least one of the words. */
  withAnyWord({ text, filters = {} }: Pick<SearchQuery, "text" | "filters">): number[] {
    const wanted = tokenize(text, "query").map(termOf);
    return [...this.documents.values()]
      .filter((document) => wanted.some((term) => termsOf(document).has(term)) && passes(document, filters))
      .map(({ id }) => id);
  }

  sorted(query: SearchQuery): number[] {
    const column = { price: "priceMinor", rating: "rating", discount: "discount" } as const;
    const { sort, order = sort === "price" ? "asc" : "desc" } = query;
    const matches = this.matches(query);
    const sign = order === "asc" ? 1 : -1;
    const sortBy = (numberOf: (document: IndexDocument) => number) =>
      matches.sort((a, b) => sign * (numberOf(a) - numberOf(b)) || byQuality(a, b));
    if (sort === "price" || sort === "rating" || sort === "discount")
      sortBy((document) => asStored(column[sort], document[column[sort]]));
    else if (sort !== undefined && isNumberColumn(sort))
      sortBy(({ numbers }) => numbers?.[sort] ?? sign * 1e9);
    return matches.map(({ id }) => id);
  }
}

function byQuality(a: IndexDocument, b: IndexDocument): number {
  return (
    Math.fround(b.quality) - Math.fround(a.quality) || compareCodePoints(a.tieKey, b.tieKey) || a.id - b.id
  );
}

const known = new WeakMap<IndexDocument, Set<string>>();

function termsOf(document: IndexDocument): Set<string> {
  const terms =
    known.get(document) ??
    new Set(
      Object.entries(document.fields)
        .filter(([field]) => field !== "store")
        .flatMap(([, text]: [string, string]) => tokenize(text).map(termOf)),
    );
  known.set(document, terms);
  return terms;
}

function passes(document: IndexDocument, filters: SearchFilters): boolean {
  const {
    source,
    minPriceMinor,
    maxPriceMinor,
    availability,
    brands,
    categories,
    stores,
    minRating,
    minDiscount,
    withWords = [],
    withoutWords = [],
  } = filters;
  const terms = termsOf(document);
  const has = (text: string) => tokenize(text, "query").every((word) => terms.has(termOf(word)));
  return (
    (source === undefined || document.source === source) &&
    (minPriceMinor === undefined || document.priceMinor >= minPriceMinor) &&
    (maxPriceMinor === undefined || document.priceMinor <= maxPriceMinor) &&
    (availability === undefined || availability.includes(document.availability)) &&
    (brands === undefined || brands.includes(document.fields.brand)) &&
    (categories === undefined || categories.includes(document.fields.category)) &&
    (stores === undefined || stores.includes(document.fields.store)) &&
    (minRating === undefined || Math.fround(document.rating) >= Math.fround(minRating)) &&
    (minDiscount === undefined || Math.fround(document.discount) >= Math.fround(minDiscount)) &&
    withWords.every((group) => group.some(has)) &&
    !withoutWords.some(has)
  );
}
