import { precedes } from "./merge-segments.ts";
import { createNameBonus } from "./name-bonus.ts";
import type { SearchQuery, SortKey } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";
import { TopHits } from "./top-hits.ts";
import type { WeighedWord } from "./weigh-words.ts";

export interface Hit {
  readonly reader: SegmentReader;
  readonly doc: number;
  primary: number;
  readonly secondary: number;
}

export interface RankedHits {
  /** Of all pages. */
  readonly best: Hit | undefined;
  readonly ids: number[];
  readonly scores: number[];
}

/** So many of the best by words alone are ranked again by what their names add. */
const RERANKED = 256;

/** The page of a query from the matches in the readers' scratch space: ids and scores, best first. */
export function rankHits(
  readers: readonly SegmentReader[],
  { sort = "relevance", order = sort.startsWith("price") ? "asc" : "desc", offset, limit }: SearchQuery,
  words: readonly WeighedWord[],
): RankedHits {
  const reranks = sort === "relevance" && order === "desc" && words.length > 0;
  const needed = offset + limit;
  const hits = readers.flatMap((reader) =>
    best(reader, reranks ? Math.max(RERANKED, needed) : needed, sort, order),
  );
  hits.sort(compareHits);
  if (reranks) {
    const front = hits.splice(0, RERANKED);
    const bonusOf = new Map(readers.map((reader) => [reader, createNameBonus(reader, words)]));
    for (const hit of front) hit.primary += bonusOf.get(hit.reader)?.(hit.doc) ?? 0;
    hits.unshift(...front.sort(compareHits));
  }
  const page = hits.slice(offset, needed);
  return {
    best: hits[0],
    ids: page.map(({ reader, doc }) => reader.segment.sections.ids[doc] ?? 0),
    scores: page.map(({ primary, secondary }) => (sort === "relevance" ? Math.abs(primary) : secondary)),
  };
}

function compareHits(a: Hit, b: Hit): number {
  if (a.primary !== b.primary) return b.primary - a.primary;
  if (a.secondary !== b.secondary) return b.secondary - a.secondary;
  if (a.reader === b.reader) return a.doc - b.doc;
  return precedes(a.reader.segment, a.doc, b.reader.segment, b.doc) ? -1 : 1;
}

function best(reader: SegmentReader, limit: number, sort: SortKey, order: "asc" | "desc"): Hit[] {
  const { matches } = reader.state;
  const top = new TopHits(limit, matches.count);
  const sign = order === "asc" ? -1 : 1;
  const { docs, scores, count } = matches;
  if (sort === "relevance") {
    for (let i = 0; i < count; i++) top.offer(sign * (scores[i] ?? 0), 0, docs[i] ?? 0);
  } else {
    const column = columnOf(reader, sort);
    const scoreWeight = sort === "price" ? 0 : 1;
    for (let i = 0; i < count; i++) {
      const doc = docs[i] ?? 0;
      top.offer(sign * (column[doc] ?? 0), scoreWeight * (scores[i] ?? 0), doc);
    }
  }
  top.finish();
  return Array.from({ length: top.count }, (_, i) => ({
    reader,
    doc: top.docs[i] ?? 0,
    primary: top.primary[i] ?? 0,
    secondary: top.secondary[i] ?? 0,
  }));
}

function columnOf(
  { segment: { sections } }: SegmentReader,
  sort: Exclude<SortKey, "relevance">,
): Float32Array | Float64Array {
  if (sort === "rating") return sections.ratings;
  return sort === "discount" ? sections.discounts : sections.prices;
}
