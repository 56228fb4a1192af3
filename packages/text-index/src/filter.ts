import type { Deletions } from "./deletions.ts";
import { fold } from "./fold.ts";
import { createMatches, intersect, loadPostings, type Matches, postingCount, subtract } from "./matches.ts";
import type { SearchFilters } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";
import { type StringTable, stringAt, stringCount } from "./string-table.ts";
import { termOf } from "./term.ts";
import { tokenize } from "./tokenize.ts";

/** A query's filters, worked out for one segment. */
export interface SegmentFilter {
  readonly reader: SegmentReader;
  readonly deletions: Deletions | undefined;
  readonly filters: SearchFilters;
  /** For each brand and category of the segment, 1 when it is wanted; undefined when all are. */
  readonly brands: Uint8Array | undefined;
  readonly categories: Uint8Array | undefined;
  readonly excluded: readonly Uint32Array[];
}

export function createFilter(reader: SegmentReader, filters: SearchFilters): SegmentFilter {
  const excluded = (filters.exclude ?? []).map((text) => documentsWithAll(reader, text));
  return {
    reader,
    deletions: reader.deletions,
    filters,
    brands: filters.brand === undefined ? undefined : wantedNames(reader.segment.brands, filters.brand),
    categories:
      filters.category === undefined ? undefined : wantedNames(reader.segment.categories, filters.category),
    excluded: excluded.filter((docs) => docs.length > 0),
  };
}

/** Keeps the matches that are not deleted and that every filter lets through. One pass over the columns it needs. */
export function applyFilter(
  matches: Matches,
  { reader, deletions, filters, brands, categories, excluded }: SegmentFilter,
): void {
  const { docs, scores } = matches;
  const { sections } = reader.segment;
  const { source, availability } = filters;
  const minPrice = filters.minPriceMinor ?? Number.NEGATIVE_INFINITY;
  const maxPrice = filters.maxPriceMinor ?? Number.POSITIVE_INFINITY;
  const byPrice = filters.minPriceMinor !== undefined || filters.maxPriceMinor !== undefined;
  const minRating = filters.minRating === undefined ? undefined : Math.fround(filters.minRating);
  const minDiscount = filters.minDiscount === undefined ? undefined : Math.fround(filters.minDiscount);
  const passive =
    !byPrice &&
    [source, availability, minRating, minDiscount, brands, categories, deletions].every(
      (part) => part === undefined,
    );
  if (!passive) {
    let kept = 0;
    for (let i = 0; i < matches.count; i++) {
      const doc = docs[i] ?? 0;
      if (deletions !== undefined && (((deletions[doc >>> 3] ?? 0) >>> (doc & 7)) & 1) === 1) continue;
      if (source !== undefined && sections.sources[doc] !== source) continue;
      if (byPrice) {
        const price = sections.prices[doc] ?? 0;
        if (price < minPrice || price > maxPrice) continue;
      }
      if (availability !== undefined && sections.availabilities[doc] !== availability) continue;
      if (minRating !== undefined && (sections.ratings[doc] ?? 0) < minRating) continue;
      if (minDiscount !== undefined && (sections.discounts[doc] ?? 0) < minDiscount) continue;
      if (brands !== undefined && brands[sections.brands[doc] ?? 0] !== 1) continue;
      if (categories !== undefined && categories[sections.categories[doc] ?? 0] !== 1) continue;
      docs[kept] = doc;
      scores[kept++] = scores[i] ?? 0;
    }
    matches.count = kept;
  }
  for (const list of excluded) subtract(matches, list);
}

function wantedNames(names: StringTable, wanted: string): Uint8Array {
  const key = fold(wanted).trim();
  const marks = new Uint8Array(stringCount(names));
  for (let i = 0; i < marks.length; i++) if (fold(stringAt(names, i)).trim() === key) marks[i] = 1;
  return marks;
}

function documentsWithAll(reader: SegmentReader, text: string): Uint32Array {
  const lists = tokenize(text, "query").map((word) => reader.postingsOf([{ term: termOf(word), weight: 1 }]));
  lists.sort((a, b) => postingCount(a) - postingCount(b));
  const [rarest, ...others] = lists;
  if (rarest === undefined) return new Uint32Array();
  const matches = createMatches(postingCount(rarest));
  loadPostings(matches, rarest, 1);
  for (const list of others) intersect(matches, list, 1);
  return matches.docs.slice(0, matches.count);
}
