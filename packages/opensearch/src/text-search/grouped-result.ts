import {
  placePins,
  placesPins,
  type RulePin,
  rerankedHits,
  type SearchQuery,
  type SearchResult,
  type TermReading,
} from "@product-search/text-index";
import { allOf, type Clause, compileReading } from "./compile-query.ts";
import { countFacets, countGroups, groupsAmong, variantsOf } from "./count-groups.ts";
import {
  type Outcome,
  type PageChanges,
  pageBody,
  rankedHits,
  ranksByNames,
  readRules,
  relatedHits,
  run,
  type Search,
} from "./page-request.ts";
import type { Hit } from "./run-searches.ts";

// Each group has a document with its members, besides the documents of the products. Groups are counted by theirs: exactly,
// because a document is counted once. Products without a group are counted by themselves. Hits are the documents of the
// products, of which only the first one of each group is kept.

/** What hits of groups return besides. */
export const groupedFields = ["rowId", "name", "language", "group", "priceMinor"];

/** The result with one hit for each group. `outcome` is that of the products. */
export async function groupedResult(
  search: Search,
  outcome: Outcome,
  { maxVariants: variants }: NonNullable<SearchQuery["grouped"]>,
): Promise<SearchResult> {
  const { query } = search;
  const { reading } = outcome;
  const isRuled = query.rules !== undefined;
  const { base, hidden, pinned, pin, boosts } = readRules(reading, query.rules ?? {});
  const counted = { search, base: isRuled ? base : compileReading(reading).match };
  const isPlaced = placesPins(query);
  const pins = pin.length === 0 || !isPlaced ? [] : await findPinned(search, pinned, pin);
  const changes = {
    boosts,
    without: [
      ...(isRuled ? [hidden] : []),
      ...(pins.length === 0 ? [] : [{ terms: { group: pins.map(({ hit }) => hit.group) } }]),
    ],
    ...(pin.length > 0 && !isPlaced && { joined: pinned }),
  };
  const counting = countGroups(counted);
  const page =
    pins.length === 0
      ? { offset: query.offset, limit: query.limit, fill: (ids: readonly number[]) => [...ids] }
      : placePins(
          pins.map(({ hit, position }) => ({ rowId: hit.rowId, position })),
          (await counting).total - pins.length,
          query,
        );
  const [counts, ranked] = await Promise.all([
    counting,
    rankGroups({ search, outcome, changes, isRuled, offset: page.offset, limit: page.limit }),
  ]);
  const { total } = counts;
  const byId = new Map([...ranked, ...pins.map(({ hit }) => hit)].map((hit) => [hit.rowId, hit]));
  const ids = page.fill(ranked.map(({ rowId }) => rowId));
  const { relatedCount: related = 0 } = query;
  const [groups, facets, relatedIds] = await Promise.all([
    variantsOf(
      counted,
      ids.flatMap((id) => byId.get(id) ?? []),
      variants,
    ),
    countFacets(counted, counts),
    reading.needsRelated(related, total)
      ? findRelated(search, reading, counted.base, isRuled ? [hidden, pinned] : [], related)
      : [],
  ]);
  return { rowIds: ids, scores: [], ...reading.describe(), total, facets, groups, relatedRowIds: relatedIds };
}

interface Pinned {
  readonly hit: Hit;
  readonly position: number;
}

/** The pinned products that pass the filters, of each group the one with the first position. */
async function findPinned(search: Search, pinned: Clause, pin: readonly RulePin[]): Promise<Pinned[]> {
  const { common, own } = search.filters;
  const query = allOf([...common, ...own.values(), pinned]);
  const [found] = await run(search, [{ size: pin.length, query, docvalue_fields: search.fields }]);
  const byId = new Map(found?.hits.map((hit) => [hit.rowId, hit]));
  const placed = pin
    .toSorted((one, other) => one.position - other.position)
    .flatMap(({ rowId: id, position }) => {
      const hit = byId.get(id);
      return hit === undefined ? [] : [{ hit, position }];
    });
  return firstOfGroups(placed, ({ hit }) => hit);
}

interface Ranking {
  readonly search: Search;
  readonly outcome: Outcome;
  readonly changes: PageChanges;
  /** Whether rules change what the outcome has found. */
  readonly isRuled: boolean;
  /** The page of groups. */
  readonly offset: number;
  readonly limit: number;
}

/**
 * The best products are ranked by their names, and their groups come first. These are the first groups without that ranking,
 * too: all others have the same places in both orders.
 */
export async function rankGroups(ranking: Ranking): Promise<readonly Hit[]> {
  const { search, outcome, changes, isRuled, offset, limit } = ranking;
  const { reading } = outcome;
  const query = { ...search.query, facets: undefined, offset: 0, limit: rerankedHits };
  if (reading.finds === "nothing" && !isRuled) return [];
  const body = pageBody({ ...search, query }, reading, changes);
  const [found] = isRuled
    ? await run(search, [{ ...body, ...(ranksByNames(query, reading) ? {} : { size: 0 }) }])
    : [outcome.response];
  if (found === undefined || found.total === 0) return [];
  const ranked = rankedHits(query, { reading, response: found }, changes.boosts);
  const first = firstOfGroups(ranked, (hit) => hit);
  const from = Math.max(offset, first.length);
  const size = offset + limit - from;
  const isAll = size <= 0 || found.total <= found.hits.length;
  const [others] = isAll ? [] : await run(search, [{ ...body, from, size, collapse: { field: "group" } }]);
  return [...first.slice(offset, offset + limit), ...(others?.hits ?? [])];
}

function firstOfGroups<Item>(items: readonly Item[], hitOf: (item: Item) => Hit): Item[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const { group } = hitOf(item);
    const isFirst = !seen.has(group);
    seen.add(group);
    return isFirst;
  });
}

/** Related products, one of each group and none of the groups of the matches. Of the best ones, only those ranked by names. */
async function findRelated(
  search: Search,
  reading: TermReading,
  base: Clause,
  without: readonly Clause[],
  limit: number,
): Promise<number[]> {
  const hits = await relatedHits(search, reading, rerankedHits, without);
  const related = firstOfGroups(hits, (hit) => hit);
  const matched = await groupsAmong({ search, base }, related);
  return related
    .filter(({ group }) => !matched.has(group))
    .slice(0, limit)
    .map(({ rowId }) => rowId);
}
