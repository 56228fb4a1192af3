import { createRandom, type Random } from "@product-search/sample-catalog";
import { facetKinds, type SearchFilters, type SearchQuery } from "@product-search/text-index";
import { mixedQueries } from "../text/mixed-queries.ts";
import { sampleDocument } from "../text/sample-documents.ts";

const sorts = [
  "relevance",
  "relevance",
  "relevance",
  "price",
  "price:relevance",
  "rating",
  "discount",
] as const;
const maxOffset = 9_980;

/** Mixed queries with all filters, sort orders, pages and facets; always the same for the same seed. */
export function variedQueries(count: number, products: number, seed: number): SearchQuery[] {
  const random = createRandom(seed);
  return mixedQueries(count, products, seed).map(({ query }) => {
    const document = sampleDocument(random.integer(0, products - 1));
    return {
      ...query,
      text: textOf(random, query.text, document.fields.brand),
      filters: { ...query.filters, ...filtersOf(random, document) },
      sort: query.sort ?? random.pick(sorts),
      ...(random.chance(0.2) && { order: random.pick(["asc", "desc"]) }),
      offset:
        query.offset === 0 && random.chance(0.2)
          ? random.integer(0, 20) * 20
          : Math.min(query.offset, maxOffset),
      ...(random.chance(0.1) && { everyWord: true }),
      ...(random.chance(0.4) && {
        facets: { of: facetKinds, limit: 50, ignoreOwnFilter: random.chance(0.5) },
      }),
      ...(random.chance(0.1) && { related: 20 }),
    };
  });
}

function textOf(random: Random, text: string, brand: string): string {
  if (random.chance(0.05)) return "";
  return random.chance(0.1) ? `${brand} ${text}` : text;
}

/** Filters with values of the document, so that they match something. */
function filtersOf(random: Random, document: ReturnType<typeof sampleDocument>): SearchFilters {
  const { fields, source, availability, priceMinor, rating, discount } = document;
  const [word = "lamp"] = fields.name.split(" ");
  return {
    ...(random.chance(0.3) && { source }),
    ...(random.chance(0.1) && { availability: [availability, 0] }),
    ...(random.chance(0.15) && { brands: [fields.brand.toUpperCase(), "Nobody"] }),
    ...(random.chance(0.1) && { categories: [fields.category] }),
    ...(random.chance(0.1) && { stores: [fields.store] }),
    ...(random.chance(0.1) && { maxPriceMinor: priceMinor }),
    ...(random.chance(0.1) && { minRating: rating }),
    ...(random.chance(0.05) && { minDiscount: discount }),
    ...(random.chance(0.1) && { require: [[word, "leather"]] }),
    ...(random.chance(0.1) && { exclude: [word, "not a word"] }),
  };
}
