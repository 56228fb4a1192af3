import {
  type AttributeFacet,
  classesInRange,
  type Facets,
  type FilterKey,
  type GroupOfHits,
  type RangeKind,
} from "@product-search/text-index";
import { z } from "zod";
import { membersField } from "../cluster/write-entries.ts";
import {
  addBuckets,
  asMember,
  type Buckets,
  chooseAttributes,
  clausesWithout,
  countTerms,
  hasMember,
  readAttributes,
  valueAggregations,
} from "./attribute-facets.ts";
import { allOf, type Clause } from "./compile-query.ts";
import { bucketsOf, compileFacets, facetFields, readFacets } from "./facets.ts";
import { run, type Search, totalOf } from "./page-request.ts";
import type { Found, Hit } from "./run-searches.ts";

/** The groups of what `base` and the filters match. */
export interface CountedGroups {
  readonly search: Search;
  readonly base: Clause;
}

export interface GroupCounts {
  /** Groups, and products that are alone. */
  readonly total: number;
  readonly alone: Buckets;
  readonly members: Buckets;
}

type Own = ReadonlyMap<FilterKey, Clause>;
type Aggregations = Record<string, object>;

export async function countGroups(groups: CountedGroups): Promise<GroupCounts> {
  const { facets } = groups.search.query;
  return facets === undefined
    ? countBoth(groups, {}, {})
    : countBoth(
        groups,
        compileFacets(facets, groups.search.filters.own, "alone"),
        compileFacets(facets, memberFilters(groups.search.filters.own), "members"),
      );
}

function memberFilters(own: Own): Own {
  return new Map(Array.from(own, ([key, clause]) => [key, asMember(clause)]));
}

const isAlone: Clause = { term: { isAlone: true } };

/** Counts the products that are alone in one search, and the groups in another one, which run side by side. */
async function countBoth(
  { search, base }: CountedGroups,
  alone: Aggregations,
  members: Aggregations,
): Promise<GroupCounts> {
  const { common, own } = search.filters;
  const filters = [base, ...common];
  const all = [...filters, ...own.values()];
  const [one, other] = await run(search, [
    { size: 0, query: allOf([isAlone, ...filters]), post_filter: allOf([...own.values()]), aggs: alone },
    {
      size: 0,
      query: hasMember(filters),
      ...(own.size > 0 && { post_filter: hasMember(all) }),
      aggs: inMembers(filters, members),
    },
  ]);
  return {
    total: totalOf(one) + totalOf(other),
    alone: bucketsOf(one?.aggregations),
    members: bucketsOf(innerOf(other)),
  };
}

/** A group is found by any of its members. Only those that match count. */
function inMembers(filters: readonly Clause[], aggs: Aggregations): Aggregations {
  if (Object.keys(aggs).length === 0) return {};
  const matching = { filter: asMember(allOf(filters)), aggs };
  return { inner: { nested: { path: membersField }, aggs: { matching } } };
}

const inner = z.object({ inner: z.object({ matching: z.record(z.string(), z.unknown()) }) });

/** The counts beside the aggregations are no aggregations. */
function innerOf(hit: Found | undefined): unknown {
  const parsed = inner.safeParse(hit?.aggregations);
  if (!parsed.success) return {};
  const { doc_count: _, meta: __, ...aggregations } = parsed.data.inner.matching;
  return aggregations;
}

/** The facets of the counted groups. What depends on the first counts is counted by one more request. */
export async function countFacets(groups: CountedGroups, counts: GroupCounts): Promise<Facets> {
  const { query, filters } = groups.search;
  const request = query.facets ?? { names: [], maxValues: 0 };
  const buckets = addBuckets(counts.alone, counts.members);
  const facets = readFacets(request, buckets);
  const chosen =
    request.attributes === undefined
      ? []
      : chooseAttributes(request.attributes, filters.own, buckets, groups.search.isFacet);
  const members = memberFilters(filters.own);
  const further = await countIfAny(groups, valueAggregations(chosen, filters.own, "alone"), {
    ...valueAggregations(chosen, members, "members"),
    ...rangeAggregations(facets, members),
  });
  const attributes: AttributeFacet[] = readAttributes(
    request,
    chosen,
    addBuckets(further.alone, further.members),
    groups.search.rangeOf,
  );
  return { ...facets, ...countRanges(facets, counts.alone, further.members), attributes };
}

async function countIfAny(
  groups: CountedGroups,
  alone: Aggregations,
  members: Aggregations,
): Promise<GroupCounts> {
  if (Object.keys(members).length === 0) return { total: 0, alone: () => [], members: () => [] };
  return countBoth(groups, alone, members);
}

const rangeKinds = ["price", "rating"] as const satisfies readonly RangeKind[];
const rangeName = (kind: RangeKind, place: number) => `${kind} ${place}`;

/** A group may have prices in several classes of a range, so its ranges are counted again. */
function rangeAggregations(facets: Pick<Facets, RangeKind>, own: Own): Aggregations {
  return Object.fromEntries(
    rangeKinds.flatMap((kind) =>
      facets[kind].map((range, place) => {
        const { field, own: key } = facetFields[kind];
        const classes = classNumbers(kind, range);
        const inRange = asMember({ terms: { [field]: classes } });
        // One bucket for all classes of the range.
        return [
          rangeName(kind, place),
          { filter: allOf([...clausesWithout(own, key), inRange]), aggs: { groups: { reverse_nested: {} } } },
        ];
      }),
    ),
  );
}

function classNumbers(kind: RangeKind, range: Facets[RangeKind][number]): number[] {
  return [...classesInRange(kind, range)].flatMap((isIn, number) => (isIn === 1 ? number : []));
}

function countRanges(
  facets: Pick<Facets, RangeKind>,
  alone: Buckets,
  members: Buckets,
): Pick<Facets, RangeKind> {
  const recounted = (kind: RangeKind) =>
    facets[kind].map((range, place) => {
      const classes = new Set<string | number>(classNumbers(kind, range));
      const products = alone(kind).reduce(
        (sum, { key, doc_count }) => sum + (classes.has(key) ? doc_count : 0),
        0,
      );
      const groups = members(rangeName(kind, place))[0]?.doc_count ?? 0;
      return { ...range, count: products + groups };
    });
  return { price: recounted("price"), rating: recounted("rating") };
}

/** Of each hit's group, the products that match. */
export async function variantsOf(
  { search, base }: CountedGroups,
  hits: readonly Hit[],
  limit: number,
): Promise<GroupOfHits[]> {
  const keys = hits.filter(isOfGroup).map(({ group }) => group);
  const counts = new Map<string, GroupOfHits>();
  if (keys.length > 0) {
    const { common, own } = search.filters;
    const priceMinor = { field: "priceMinor" };
    const best = { top_hits: { size: limit, sort: bestQuality, _source: false, docvalue_fields: ["rowId"] } };
    const aggs = { least: { min: priceMinor }, most: { max: priceMinor }, ...(limit > 0 && { best }) };
    const [found] = await run(search, [
      {
        size: 0,
        query: allOf([base, ...common, ...own.values(), { terms: { group: keys } }]),
        aggs: { groups: { terms: { field: "group", size: keys.length, shard_size: keys.length }, aggs } },
      },
    ]);
    for (const { key, doc_count, least, most, best: ids } of memberBuckets.parse(found?.aggregations).groups
      .buckets)
      counts.set(key, {
        count: doc_count,
        minPriceMinor: least.value,
        maxPriceMinor: most.value,
        rowIds: ids,
      });
  }
  return hits.map(
    ({ group, rowId, priceMinor }) =>
      counts.get(group) ?? {
        count: 1,
        minPriceMinor: priceMinor,
        maxPriceMinor: priceMinor,
        rowIds: limit > 0 ? [rowId] : [],
      },
  );
}

const bestQuality = [{ quality: "desc" }, { tie: "asc" }, { rowId: "asc" }];

const memberHits = z
  .object({
    hits: z.object({ hits: z.array(z.object({ fields: z.object({ rowId: z.tuple([z.number()]) }) })) }),
  })
  .transform(({ hits }) => hits.hits.map(({ fields }) => fields.rowId[0]));
const memberBuckets = z.object({
  groups: z.object({
    buckets: z.array(
      z.object({
        key: z.string(),
        doc_count: z.number(),
        least: z.object({ value: z.number() }),
        most: z.object({ value: z.number() }),
        best: memberHits.default([]),
      }),
    ),
  }),
});

/** A product that is alone has its own number instead of the key of a group. */
function isOfGroup({ group, rowId }: Hit): boolean {
  return group !== String(rowId);
}

/** The groups of these hits that have a match. */
export async function groupsAmong(
  { search, base }: CountedGroups,
  hits: readonly Hit[],
): Promise<ReadonlySet<string>> {
  const keys = hits.filter(isOfGroup).map(({ group }) => group);
  if (keys.length === 0) return new Set();
  const { common, own } = search.filters;
  const counted = countTerms("products", [], { field: "group", size: keys.length, shard_size: keys.length });
  const query = allOf([base, ...common, ...own.values(), { terms: { group: keys } }]);
  const [found] = await run(search, [{ size: 0, query, aggs: { groups: counted } }]);
  return new Set(bucketsOf(found?.aggregations)("groups").map(({ key }) => String(key)));
}
