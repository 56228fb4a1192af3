import { isDeepStrictEqual } from "node:util";
import type { SearchQuery, SearchResult, TextIndex } from "@product-search/text-index";
import type { ClusterIndex } from "./cluster-index.ts";

export interface Agreement {
  readonly queries: number;
  readonly totalsDiffer: number;
  readonly pagesDiffer: number;
  readonly facetsDiffer: number;
  /** Words that were corrected, dropped or unknown, and the thing that is absent. */
  readonly readingsDiffer: number;
  readonly relatedDiffer: number;
  /** The first queries with different totals, or else with any other difference. */
  readonly examples: readonly object[];
}

const maxExamples = 5;

const partsOf = ({
  rowIds: ids,
  facets,
  words,
  correctedText,
  absentThing,
  relatedRowIds: relatedIds,
  ...result
}: SearchResult) => ({
  totals: { total: result.total },
  pages: { ids, variants: result.groups },
  facets,
  readings: { words, correctedText, absentThing },
  related: relatedIds,
});

/** Runs the same queries on both engines. `vocabulary` is the cluster's knowledge of the catalog's words. */
export async function compareEngines(
  embedded: TextIndex,
  cluster: ClusterIndex,
  vocabulary: TextIndex,
  queries: readonly SearchQuery[],
): Promise<Agreement> {
  const differ = { totals: 0, pages: 0, facets: 0, readings: 0, related: 0 };
  const examples: { query: SearchQuery; embedded: object; cluster: object }[] = [];
  for (const query of queries) {
    const one = partsOf(embedded.search(query));
    const other = partsOf(await cluster.search(vocabulary, query));
    for (const part of ["totals", "pages", "facets", "readings", "related"] as const) {
      if (isDeepStrictEqual(one[part], other[part])) continue;
      differ[part]++;
      if (examples.length < maxExamples)
        examples.push({ query, embedded: { [part]: one[part] }, cluster: { [part]: other[part] } });
    }
  }
  return {
    queries: queries.length,
    totalsDiffer: differ.totals,
    pagesDiffer: differ.pages,
    facetsDiffer: differ.facets,
    readingsDiffer: differ.readings,
    relatedDiffer: differ.related,
    examples,
  };
}
