import {
  asStored,
  createIndexWriter,
  createSegmentBuilder,
  type DocumentFields,
  emptySnapshot,
  type IndexDocument,
  type IndexWriter,
  isNumberColumn,
  openIndex,
  type SearchFilters,
  type SearchQuery,
  snapshotOf,
  type TextIndex,
} from "../src/index.ts";
import { termOf, tokenize } from "../src/text/tokenize.ts";
import type { Edit } from "./arbitraries.ts";

/** Makes all edits, one batch each. */
export function replay(history: readonly Edit[]): { writer: IndexWriter; naive: NaiveIndex } {
  const writer = createIndexWriter(emptySnapshot);
  const naive = new NaiveIndex();
  history.forEach((edit, i) => {
    writer.apply(edit, i + 1);
    naive.apply(edit.upserts, edit.deletes);
  });
  return { writer, naive };
}

export function editedIndex(history: readonly Edit[]): { index: TextIndex; naive: NaiveIndex } {
  const { writer, naive } = replay(history);
  return { index: openIndex(writer.snapshot), naive };
}

/** An index of one segment. */
export function indexOf(documents: readonly IndexDocument[]): TextIndex {
  const builder = createSegmentBuilder();
  for (const document of documents) builder.add(document);
  return openIndex(snapshotOf(builder.build(), 1));
}

/** The hits of all pages of this size. */
export function allPages(
  index: TextIndex,
  query: Omit<SearchQuery, "offset" | "limit">,
  limit: number,
): number[] {
  const ids: number[] = [];
  for (let offset = 0; ; offset += limit) {
    const page = index.search({ ...query, offset, limit });
    ids.push(...page.rowIds);
    if (page.rowIds.length < limit) return ids;
  }
}

type Overrides = Partial<Omit<IndexDocument, "fields">> & { readonly fields?: Partial<DocumentFields> };

/** A document with only the fields that a test needs. */
export function buildDocument(id: number, overrides: string | Overrides = {}): IndexDocument {
  const { fields, ...columns } = typeof overrides === "string" ? { fields: { name: overrides } } : overrides;
  return {
    id,
    tie: id,
    source: 0,
    priceMinor: 1000,
    rating: 0,
    discount: 0,
    quality: 50,
    availability: 0,
    ...columns,
    fields: { name: "", brand: "", store: "", description: "", category: "", ...fields },
  };
}

/** The reference for the index: a simple scan over all documents. */
export class NaiveIndex {
  readonly documents = new Map<number, IndexDocument>();

  apply(upserts: readonly IndexDocument[], deletes: readonly number[]): void {
    for (const id of deletes) this.documents.delete(id);
    for (const document of upserts) this.documents.set(document.id, document);
  }

  /** The documents with every word, ordered by quality and tie. */
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
  return Math.fround(b.quality) - Math.fround(a.quality) || a.tie - b.tie || a.id - b.id;
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
