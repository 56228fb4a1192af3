import { createRandom, type Random } from "@product-search/sample-catalog";
import {
  type FacetRequest,
  facetKinds,
  facetNames,
  type SearchFilters,
  type SearchQuery,
} from "@product-search/text-index";
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

/** Mixed queries with all filters, sort orders, pages, facets and groups; always the same for the same seed. */
export function variedQueries(count: number, products: number, seed: number): SearchQuery[] {
  const random = createRandom(seed);
  return mixedQueries(count, products, seed).map(({ query }) => {
    const document = sampleDocument(random.integer(0, products - 1));
    const sort = query.sort ?? random.pick(sorts);
    return {
      ...query,
      text: textOf(random, query.text, document.fields.brand),
      filters: { ...query.filters, ...filtersOf(random, document) },
      sort,
      ...(random.chance(0.2) && { order: random.pick(["asc", "desc"]) }),
      offset:
        query.offset === 0 && random.chance(0.2)
          ? random.integer(0, 20) * 20
          : Math.min(query.offset, maxOffset),
      ...(random.chance(0.1) && { everyWord: true }),
      ...(random.chance(0.4) && { facets: facetsOf(random) }),
      ...(random.chance(0.1) && { relatedCount: 20 }),
      ...(random.chance(0.1) && { rules: rulesOf(random, document, products, sort === "relevance") }),
      ...(random.chance(0.4) && { grouped: { maxVariants: random.pick([0, 3, 50]) } }),
    };
  });
}

function textOf(random: Random, text: string, brand: string): string {
  if (random.chance(0.05)) return "";
  return random.chance(0.1) ? `${brand} ${text}` : text;
}

/** Pins at the first positions, of the document and of any other; hidden neighbours; brands and products that are raised. */
function rulesOf(
  random: Random,
  { id, fields }: ReturnType<typeof sampleDocument>,
  products: number,
  isByRelevance: boolean,
): NonNullable<SearchQuery["rules"]> {
  const any = () => random.integer(1, products);
  if (!isByRelevance) return { hide: Array.from({ length: 20 }, any) };
  const factor = () => random.pick([0.1, 0.5, 1.5, 10]);
  return {
    hide: Array.from({ length: random.integer(0, 20) }, any),
    pin: random.chance(0.5)
      ? [
          { rowId: id, position: random.integer(0, 30) },
          { rowId: any(), position: 31 },
        ]
      : [],
    boosts: random.chance(0.5)
      ? [
          { filters: { brands: [fields.brand] }, factor: factor() },
          {
            filters: { categories: [fields.category] },
            rowIds: Array.from({ length: 50 }, any),
            factor: factor(),
          },
        ]
      : [],
  };
}

function facetsOf(random: Random): FacetRequest {
  return {
    names: random.pick([facetNames, facetKinds]),
    maxValues: 50,
    maxPaths: 200,
    ...(random.chance(0.7) && {
      attributes: random.pick([
        { frequent: 20, names: [] },
        { frequent: 0, names: ["Color", "nothing"] },
        { frequent: 1, names: ["size"] },
      ]),
    }),
    ...(random.chance(0.1) && {
      query: random.pick([
        { facet: "categoryPaths", text: "ho" },
        { facet: { attribute: "color" }, text: "b" },
      ]),
    }),
    ignoreOwnFilter: random.chance(0.5),
  };
}

/** Filters with values of the document, so that they match something. */
function filtersOf(random: Random, document: ReturnType<typeof sampleDocument>): SearchFilters {
  const { fields, source, availability, priceMinor, rating, discount } = document;
  const [word = "lamp"] = fields.name.split(" ");
  return {
    ...(random.chance(0.3) && { source }),
    ...(random.chance(0.1) && { availability: [availability, 0] }),
    ...(random.chance(0.15) && { brands: [fields.brand.toUpperCase(), "Nobody"] }),
    ...(random.chance(0.15) && { categories: [random.pick([fields.category, ...levelsOf(document)])] }),
    ...(random.chance(0.2) && { attributes: attributesOf(random, document) }),
    ...(random.chance(0.1) && { stores: [fields.store] }),
    ...(random.chance(0.1) && { maxPriceMinor: priceMinor }),
    ...(random.chance(0.1) && { minRating: rating }),
    ...(random.chance(0.05) && { minDiscount: discount }),
    ...(random.chance(0.1) && { withWords: [[word, "leather"]] }),
    ...(random.chance(0.1) && { withoutWords: [word, "not a word"] }),
  };
}

/** Every level of its categories, and their paths in other letters. */
function levelsOf({ categoryPaths = [] }: ReturnType<typeof sampleDocument>): string[] {
  return categoryPaths.flatMap((path) => [
    ...path,
    ...path.map((_, i) =>
      path
        .slice(0, i + 1)
        .join(" > ")
        .toUpperCase(),
    ),
  ]);
}

/** One attribute of the document, or several; sometimes a further value or a name that no document has. */
function attributesOf(
  random: Random,
  { attributes = [] }: ReturnType<typeof sampleDocument>,
): NonNullable<SearchFilters["attributes"]> {
  const chosen = attributes.filter(() => random.chance(0.5));
  return [
    ...chosen.map(([name, value]) => ({
      name: name.toUpperCase(),
      values: [value.toLowerCase(), ...(random.chance(0.3) ? ["Black", "M"] : [])],
    })),
    ...(random.chance(0.05) ? [{ name: "unknown", values: ["Black"] }] : []),
  ];
}
