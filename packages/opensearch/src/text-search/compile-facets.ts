import {
  type FacetKind,
  type FacetRequest,
  type Facets,
  type FacetValue,
  facetRanges,
} from "@product-search/text-index";
import { z } from "zod";
import { allOf, type Clause } from "./compile-step.ts";

const fieldOf: Record<FacetKind, string> = {
  brands: "brand",
  categories: "category",
  stores: "store",
  price: "valueClass",
  rating: "valueClass",
};

/** Every shard reports this many names, so that the counts are exact for catalogs with no more names. */
const namesPerShard = 20_000;
/** There are fewer classes of prices and ratings than this. */
const valueClasses = 4_096;

/** Counts each facet over the matches that pass the other facets' filters. */
export function compileFacets(
  { of, limit }: FacetRequest,
  own: ReadonlyMap<FacetKind, Clause>,
): Record<string, unknown> {
  return Object.fromEntries(
    of.map((kind) => {
      const others = [...own].filter(([other]) => other !== kind).map(([, clause]) => clause);
      const isRange = kind === "price" || kind === "rating";
      const size = isRange ? valueClasses : Math.max(1, limit);
      const shardSize = isRange ? valueClasses : Math.max(namesPerShard, limit);
      const terms = { field: fieldOf[kind], size, shard_size: shardSize };
      return [kind, others.length === 0 ? { terms } : { filter: allOf(others), aggs: { values: { terms } } }];
    }),
  );
}

const bucket = z.object({ key: z.union([z.string(), z.number()]), doc_count: z.number() });
const terms = z.object({ buckets: z.array(bucket) });
const aggregation = z.union([z.object({ values: terms }).transform(({ values }) => values), terms]);
const aggregations = z.record(z.string(), aggregation);

export function readFacets({ of, limit }: FacetRequest, response: unknown): Facets {
  const found = aggregations.parse(response ?? {});
  const buckets = (kind: FacetKind) => (of.includes(kind) ? (found[kind]?.buckets ?? []) : []);
  const names = (kind: FacetKind): FacetValue[] =>
    buckets(kind)
      .slice(0, limit)
      .map(({ key, doc_count }) => ({ name: String(key), documents: doc_count }));
  const ranges = (kind: "price" | "rating") =>
    facetRanges(
      kind,
      buckets(kind).map(({ key, doc_count }) => [Number(key), doc_count]),
    );
  return {
    brands: names("brands"),
    categories: names("categories"),
    stores: names("stores"),
    price: ranges("price"),
    rating: ranges("rating"),
  };
}
