import {
  byDocuments,
  categoryFilterKey,
  type FacetKind,
  type FacetRequest,
  type Facets,
  type FacetValue,
  type FilterKey,
  facetRanges,
  joinValues,
  pathKey,
  type RangeKind,
} from "@product-search/text-index";
import { z } from "zod";
import {
  type Buckets,
  type Counted,
  clausesWithout,
  countClause,
  countTerms,
  keepBeginning,
  nameAggregations,
  sharedSize,
  valuesPerShard,
} from "./attribute-facets.ts";
import type { Clause } from "./compile-query.ts";

interface CountedField {
  readonly field: string;
  /** What is shown for the keys of the field. */
  readonly shownAs?: string;
  /** The filter that is ignored. */
  readonly own: FilterKey;
}

export const facetFields: Record<
  FacetKind | "categoryKeys" | "categoryPaths" | "availability",
  CountedField
> = {
  brands: { field: "brandFacet", shownAs: "brand", own: "brands" },
  categories: { field: "category", own: "categories" },
  stores: { field: "storeFacet", shownAs: "store", own: "stores" },
  price: { field: "valueClass", own: "price" },
  rating: { field: "valueClass", own: "rating" },
  categoryKeys: { field: "categoryFacet", own: "categories" },
  categoryPaths: { field: "levels", own: "categories" },
  availability: { field: "availability", own: "availability" },
};
type CountedFacet = keyof typeof facetFields;

/** There are fewer classes of prices and ratings than this. */
const valueClasses = 4_096;
/** Of all whole lists. */
const wholeBuckets = 40_000;

/** A member of a group that has the value counts the group, once. */
const bucket = z
  .object({
    key: z.union([z.string(), z.number()]).default(""),
    doc_count: z.number(),
    groups: z.object({ doc_count: z.number() }).optional(),
    shown: z.object({ buckets: z.array(z.object({ key: z.string() })) }).optional(),
  })
  .transform(({ key, doc_count, groups, shown }) => ({
    key: shown?.buckets[0]?.key ?? key,
    doc_count: groups?.doc_count ?? doc_count,
  }));

const terms = z.object({ buckets: z.array(bucket) });
const aggregation = z.union([
  z.object({ values: terms }).transform(({ values }) => values),
  terms,
  bucket.transform((only) => ({ buckets: [only] })),
]);
const aggregations = z.record(z.string(), aggregation);

export function bucketsOf(response: unknown): Buckets {
  const found = aggregations.parse(response ?? {});
  return (name) => found[name]?.buckets ?? [];
}

/** Counts each facet over the matches that pass the other facets' filters. */
export function compileFacets(
  request: FacetRequest,
  own: ReadonlyMap<FilterKey, Clause>,
  counted: Counted,
): Record<string, object> {
  const facets = countedFacets(request);
  // Values of two lists are added up, so both must be complete.
  const isWhole = (facet: CountedFacet) =>
    facetFields[facet].field !== "valueClass" &&
    (request.query?.facet === facet || counted !== "products" || isOfCategories(facet));
  const wholeSize = sharedSize(wholeBuckets, facets.filter(isWhole).length);
  return {
    ...Object.fromEntries(
      facets.map((facet) => {
        const { field, shownAs, own: key } = facetFields[facet];
        const limit = facet === "categoryPaths" ? maxPathsOf(request) : request.maxValues;
        const listSize = isWhole(facet) ? wholeSize : Math.max(1, limit);
        const size = field === "valueClass" ? valueClasses : listSize;
        const shardSize = field === "valueClass" ? valueClasses : Math.max(valuesPerShard, limit);
        const count = { field, size, shard_size: shardSize };
        return [facet, countTerms(counted, clausesWithout(own, key), count, shownAs)];
      }),
    ),
    ...(request.names.includes("onSale") && {
      onSale: countClause(counted, clausesWithout(own, "onSale"), onSale),
    }),
    ...(request.attributes !== undefined && nameAggregations(own, counted)),
  };
}

/** Their counts are those of names at any level. */
function isOfCategories(facet: CountedFacet): boolean {
  return ["categories", "categoryKeys", "categoryPaths"].includes(facet);
}

const onSale: Clause = { terms: { tagKeys: ["onSale"] } };

function countedFacets({ names }: FacetRequest): CountedFacet[] {
  const counted = names.filter((name) => name !== "onSale");
  return counted.some(isOfCategories) ? [...counted, "categoryKeys"] : counted;
}

function maxPathsOf({ maxValues, maxPaths = maxValues }: FacetRequest): number {
  return maxPaths;
}

export function readFacets(request: FacetRequest, bucketsIn: Buckets): Omit<Facets, "attributes"> {
  const { names: requested, maxValues, query } = request;
  const counted = countedFacets(request);
  const buckets = (facet: CountedFacet) => (counted.includes(facet) ? bucketsIn(facet) : []);
  const kept = (facet: CountedFacet, values: FacetValue[], most: number): FacetValue[] =>
    keepBeginning(values, query?.facet === facet ? query.text : undefined, most);
  const valuesOf = (facet: CountedFacet): FacetValue[] =>
    joinValues(
      buckets(facet).map(({ key, doc_count }) => ({ value: String(key), count: doc_count })),
      pathKey,
    );
  const onSaleCount = requested.includes("onSale") ? (bucketsIn("onSale")[0]?.doc_count ?? 0) : 0;
  const names = (facet: CountedFacet, most: number) => kept(facet, valuesOf(facet), most);
  const byKey = new Map(buckets("categoryKeys").map(({ key, doc_count }) => [key, doc_count]));
  const categories = (facet: "categories" | "categoryPaths", most: number) => {
    const values = valuesOf(facet)
      .map(({ value, count }) => ({ value, count: byKey.get(categoryFilterKey(value)) ?? count }))
      .sort(byDocuments);
    return kept(facet, values, most);
  };
  const ranges = (kind: RangeKind) =>
    facetRanges(
      kind,
      buckets(kind).map(({ key, doc_count }) => [Number(key), doc_count]),
    );
  return {
    brands: names("brands", maxValues),
    categories: categories("categories", maxValues),
    stores: names("stores", maxValues),
    price: ranges("price"),
    rating: ranges("rating"),
    categoryPaths: categories("categoryPaths", maxPathsOf(request)),
    availability: buckets("availability").map(({ key, doc_count }) => ({
      value: Number(key),
      count: doc_count,
    })),
    onSale: onSaleCount === 0 ? [] : [{ value: "true", count: onSaleCount }],
  };
}
