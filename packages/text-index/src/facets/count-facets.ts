import { settle } from "../search/matches/matches.ts";
import type { FacetKind, FacetRequest, Facets } from "../search/search-query.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { countFiltered } from "./count-filtered.ts";
import { countNumbers } from "./count-numbers.ts";
import { columnKind, facetColumn, noCounts } from "./facet-column.ts";
import type { FacetPlan } from "./facet-plan.ts";
import { type AllCounts, countRows } from "./facet-rows.ts";
import { liveTotals } from "./live-totals.ts";
import { maxFrequentNames } from "./most-frequent-names.ts";
import { countsOfTerm } from "./term-counts.ts";
import { valueClassCount } from "./value-classes.ts";
import { priceRanges, ratingRanges } from "./value-ranges.ts";

/** Counts the requested facets over the matches in the readers' scratch space. */
export function countFacets(
  readers: readonly SegmentReader[],
  request: FacetRequest | undefined,
  plan: FacetPlan,
): Facets {
  const { of, limit } = request ?? { of: [], limit: 0 };
  const counted = readers.map((reader) => new CountedSegment(reader, of, plan));
  const names = (kind: NameKind) =>
    of.includes(kind)
      ? maxFrequentNames(
          counted.map((one) => ({ segment: one.segment, counts: one.countsOf(kind) })),
          kind,
          limit,
        )
      : [];
  const values = (kind: "price" | "rating") => addUp(counted.map((one) => one.countsOf(kind)));
  return {
    brands: names("brands"),
    categories: names("categories"),
    stores: names("stores"),
    price: of.includes("price") ? priceRanges(values("price")) : [],
    rating: of.includes("rating") ? ratingRanges(values("rating")) : [],
  };
}

/** The counts of one segment. Several facets are counted in one pass over its matches. */
class CountedSegment {
  readonly segment: SegmentReader["segment"];
  readonly #reader: SegmentReader;
  readonly #plan: FacetPlan;
  readonly #together: AllCounts | undefined;

  constructor(reader: SegmentReader, of: readonly FacetKind[], plan: FacetPlan) {
    this.segment = reader.segment;
    this.#reader = reader;
    this.#plan = plan;
    if (of.length > 1) this.#together = countTogether(reader, plan.source);
    if (of.length > 0 && this.#together === undefined) settle(reader.state.matches);
  }

  /** A copy of the counts, which the caller may change. */
  countsOf(kind: FacetKind): Uint32Array {
    const { segment } = this;
    if (kind === this.#plan.whole) return liveTotals(this.#reader, kind, this.#plan.source);
    const other = this.#plan.byOther.get(kind);
    if (other !== undefined) return countFiltered(this.#reader, kind, other).slice();
    const { matches, nearMisses, unfiltered } = this.#reader.state;
    if (unfiltered?.kind === kind) return unfiltered.counts[columnKind(kind)].slice();
    const counts = this.#together?.[columnKind(kind)].slice() ?? noCounts(segment, kind);
    const column = facetColumn(segment, kind);
    if (this.#together === undefined) countNumbers(counts, column, matches.docs, matches.count);
    const missed = nearMisses.get(kind);
    if (missed !== undefined) countNumbers(counts, column, missed, missed.length);
    return counts;
  }
}

function countTogether(reader: SegmentReader, source: number | undefined): AllCounts | undefined {
  const { matches } = reader.state;
  const known = countsOfTerm(reader, source);
  if (known !== undefined) return known;
  settle(matches);
  return countRows(reader.segment, matches.docs, matches.count);
}

function addUp(counted: readonly Uint32Array[]): Float64Array {
  const sums = new Float64Array(valueClassCount);
  for (const counts of counted)
    for (let number = 0; number < counts.length; number++)
      sums[number] = (sums[number] ?? 0) + (counts[number] ?? 0);
  return sums;
}
