import { createRandom } from "@product-search/sample-catalog";
import type { SearchQuery } from "@product-search/text-index";
import { mixedQueries } from "../text/mixed-queries.ts";
import { sampleDocument } from "../text/sample-documents.ts";

export interface FacetedQuery {
  readonly kind: string;
  readonly query: SearchQuery;
}

/** The only filter of most catalog searches: the source. */
const source = 0;

/** Mixed queries of the catalog, and a fifth as many with each filter that users choose among facets. */
export function facetedQueries(count: number, products: number, seed: number): FacetedQuery[] {
  const mixed = mixedQueries(count, products, seed).map(({ kind, query }) => ({
    kind: String(kind),
    query: { ...query, filters: { ...query.filters, source } },
  }));
  const broad = mixed.filter(({ kind }) => kind === "broad");
  const random = createRandom(seed);
  const chosen = broad.flatMap(({ query }) => {
    const { fields, priceMinor, attributes = [] } = sampleDocument(random.integer(0, products - 1));
    const color = attributes
      .filter(([name]) => name === "color")
      .map(([name, value]) => ({ name, values: [value] }));
    const price = { minPriceMinor: priceMinor, maxPriceMinor: priceMinor * 2 };
    const withFilters = (kind: string, text: string, filters: SearchQuery["filters"]): FacetedQuery => ({
      kind,
      query: { ...query, text, filters: { source, ...filters } },
    });
    return [
      withFilters("words and a brand", query.text, { brands: [fields.brand] }),
      withFilters("words and a category", query.text, { categories: [fields.category] }),
      withFilters("words, a rating and a price", query.text, { minRating: 4, ...price }),
      withFilters("words and a colour", query.text, { attributes: color }),
      withFilters("a colour alone", "", { attributes: color }),
      withFilters("a category and a colour", "", { categories: [fields.category], attributes: color }),
      withFilters("a brand alone", "", { brands: [fields.brand] }),
      withFilters("a category alone", "", { categories: [fields.category] }),
      withFilters("a category and a brand", "", { categories: [fields.category], brands: [fields.brand] }),
      withFilters("a category and a price", "", { categories: [fields.category], ...price }),
    ];
  });
  return [...mixed, ...chosen];
}
