import {
  firstHits,
  needsRelated,
  placePins,
  type RulePin,
  rerankedHits,
  type SearchQuery,
  type SearchResult,
} from "@product-search/text-index";
import { allOf, type Clause } from "./compile-step.ts";
import { countFacets, countGroups, groupsAmong, variantsOf } from "./count-groups.ts";
import {
  type Boosts,
  fullMatch,
  matchOf,
  type Outcome,
  pageBody,
  rankedHits,
  ranksByNames,
  readRules,
  relatedHits,
  run,
  type Search,
  wordsOf,
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
  { variants }: NonNullable<SearchQuery["grouped"]>,
): Promise<SearchResult> {
  const { query } = search;
  const { result, step } = outcome;
  const isRuled = query.rules !== undefined;
  const { base, hidden, pinned, pin, boosts } = readRules(step, query.rules ?? {});
  const counted = { search, base: isRuled ? base : matchOf(step) };
  const products = result.describe(undefined);
  // If every product has all words, every group has.
  const isAllFull = !isRuled && products.totalWithEveryWord >= products.total;
  const full = isAllFull ? undefined : fullMatch(outcome, hidden);
  const pins = pin.length === 0 ? [] : await findPinned(search, pinned, pin);
  const without = [
    ...(isRuled ? [hidden] : []),
    ...(pins.length === 0 ? [] : [{ terms: { group: pins.map(({ hit }) => hit.group) } }]),
  ];
  const counting = countGroups(counted);
  const page =
    pins.length === 0
      ? { offset: query.offset, limit: query.limit, fill: (ids: readonly number[]) => [...ids] }
      : placePins(
          pins.map(({ hit, position }) => ({ id: hit.rowId, position })),
          (await counting).total - pins.length,
          query,
        );
  const [counts, fullCounts, ranked] = await Promise.all([
    counting,
    full && countGroups({ search: { ...search, query: { ...query, facets: undefined } }, base: full }),
    rankGroups({ search, outcome, boosts, without, isRuled, offset: page.offset, limit: page.limit }),
  ]);
  const { total } = counts;
  const totalWithEveryWord = isAllFull ? total : (fullCounts?.total ?? 0);
  const byId = new Map([...ranked.hits, ...pins.map(({ hit }) => hit)].map((hit) => [hit.rowId, hit]));
  const ids = page.fill(ranked.hits.map(({ rowId }) => rowId));
  const [groups, facets, relatedIds] = await Promise.all([
    variantsOf(
      counted,
      ids.flatMap((id) => byId.get(id) ?? []),
      variants,
    ),
    countFacets(counted, counts),
    query.related && needsRelated({ total, totalWithEveryWord })
      ? findRelated(search, outcome, counted.base, isRuled ? [hidden, pinned] : [], query.related)
      : [],
  ]);
  const described = result.describe(ranked.firstHave);
  return {
    ids,
    scores: [],
    ...described,
    total,
    totalWithEveryWord,
    absentThing: total === 0 ? described.absentThing : undefined,
    facets,
    variants: groups,
    relatedIds,
  };
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
    .flatMap(({ id, position }) => {
      const hit = byId.get(id);
      return hit === undefined ? [] : [{ hit, position }];
    });
  return firstOfGroups(placed, ({ hit }) => hit);
}

interface Ranking {
  readonly search: Search;
  readonly outcome: Outcome;
  readonly boosts: Boosts;
  /** What is not ranked. */
  readonly without: readonly Clause[];
  /** Whether rules change what the outcome has found. */
  readonly isRuled: boolean;
  /** The page of groups. */
  readonly offset: number;
  readonly limit: number;
}

interface RankedGroups {
  readonly hits: readonly Hit[];
  /** Whether one of the first hits has a word; undefined without a hit. */
  readonly firstHave: ((place: number) => boolean) | undefined;
}

/**
 * The best products are ranked by their names, and their groups come first. These are the first groups without that ranking,
 * too: all others have the same places in both orders.
 */
export async function rankGroups(ranking: Ranking): Promise<RankedGroups> {
  const { search, outcome, boosts, without, isRuled, offset, limit } = ranking;
  const { step, result } = outcome;
  const query = { ...search.query, facets: undefined, offset: 0, limit: rerankedHits };
  if (step.kind === "nothing") return { hits: [], firstHave: undefined };
  const body = pageBody({ ...search, query }, step, { boosts, without });
  const [found] = isRuled
    ? await run(search, [{ ...body, ...(ranksByNames(query, step) ? {} : { size: 0 }) }])
    : [outcome.response];
  if (found === undefined || found.total === 0) return { hits: [], firstHave: undefined };
  const first = firstOfGroups(rankedHits(query, { step, response: found, result }, boosts), (hit) => hit);
  const pageOfGroups = async (from: number, size: number) => {
    if (size <= 0 || found.total <= found.hits.length) return [];
    const [page] = await run(search, [{ ...body, from, size, collapse: { field: "group" } }]);
    return page?.hits ?? [];
  };
  const from = Math.max(offset, first.length);
  const others = await pageOfGroups(from, offset + limit - from);
  const hits = [...first.slice(offset, offset + limit), ...others];
  if (step.kind !== "words" || step.share === undefined) return { hits, firstHave: () => true };
  const shown =
    first.length > 0 ? first : offset === 0 && limit >= firstHits ? others : await pageOfGroups(0, firstHits);
  return { hits, firstHave: wordsOf(shown.slice(0, firstHits)) };
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
  outcome: Outcome,
  base: Clause,
  without: readonly Clause[],
  limit: number,
): Promise<number[]> {
  const hits = await relatedHits(search, outcome, rerankedHits, without);
  const related = firstOfGroups(hits, (hit) => hit);
  const matched = await groupsAmong({ search, base }, related);
  return related
    .filter(({ group }) => !matched.has(group))
    .slice(0, limit)
    .map(({ rowId }) => rowId);
}
