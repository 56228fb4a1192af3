// Runs as a separate process: loads the index and runs each query without facets and with all of them, in turns.
import { facetKinds, openIndex, readSnapshot, type SearchQuery } from "@product-search/text-index";
import { timingOf } from "../text/figures.ts";
import { facetedQueries } from "./faceted-queries.ts";

export interface FacetFigures {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly meanMs: number;
  readonly withFacetsP50Ms: number;
  readonly withFacetsP99Ms: number;
  readonly withFacetsMeanMs: number;
  /** The means of the first time that a query is asked without facets, and then with: the index keeps some counts. */
  readonly firstMeanMs: number;
  readonly firstWithFacetsMeanMs: number;
  /** Ratio of the means. */
  readonly ratio: number;
  readonly byKind: Readonly<Record<string, { meanMs: number; withFacetsMeanMs: number; ratio: number }>>;
}

const facets = {
  of: facetKinds,
  limit: 50,
  paths: 200,
  availability: true,
  attributes: { frequent: 20, names: [] },
  ignoreOwnFilter: true,
};
const repetitions = 5;

const [folder = "", products = "0", count = "0"] = process.argv.slice(2);
const read = readSnapshot(folder, "bench");
if (!read.usable) throw new Error(read.reason);
const index = openIndex(read.snapshot);
for (let seed = 1; seed <= 3; seed++)
  for (const { query } of facetedQueries(Number(count), Number(products), seed)) {
    index.search(query);
    index.search({ ...query, facets });
  }
const timed = facetedQueries(Number(count), Number(products), 0).map(({ kind, query }) => ({
  kind,
  ...fastest(query),
}));
const plain = timingOf(timed.map(({ ms }) => ms));
const faceted = timingOf(timed.map(({ withFacetsMs }) => withFacetsMs));
const figures: FacetFigures = {
  ...plain,
  withFacetsP50Ms: faceted.p50Ms,
  withFacetsP99Ms: faceted.p99Ms,
  withFacetsMeanMs: faceted.meanMs,
  firstMeanMs: timingOf(timed.map(({ firstMs }) => firstMs)).meanMs,
  firstWithFacetsMeanMs: timingOf(timed.map(({ firstWithFacetsMs }) => firstWithFacetsMs)).meanMs,
  ratio: faceted.meanMs / plain.meanMs,
  byKind: Object.fromEntries(
    Object.entries(Object.groupBy(timed, ({ kind }) => kind)).map(([kind, some = []]) => {
      const { meanMs } = timingOf(some.map(({ ms }) => ms));
      const { meanMs: withFacetsMeanMs } = timingOf(some.map(({ withFacetsMs }) => withFacetsMs));
      return [kind, { meanMs, withFacetsMeanMs, ratio: withFacetsMeanMs / meanMs }];
    }),
  ),
};
process.stdout.write(JSON.stringify(figures));

/** The fastest of several alternating runs, so that other load on the machine affects both alike. */
function fastest(
  query: SearchQuery,
): Record<"ms" | "withFacetsMs" | "firstMs" | "firstWithFacetsMs", number> {
  const firstMs = timeOf(query);
  let ms = firstMs;
  const firstWithFacetsMs = timeOf({ ...query, facets });
  let withFacetsMs = firstWithFacetsMs;
  for (let i = 1; i < repetitions; i++) {
    ms = Math.min(ms, timeOf(query));
    withFacetsMs = Math.min(withFacetsMs, timeOf({ ...query, facets }));
  }
  return { ms, withFacetsMs, firstMs, firstWithFacetsMs };
}

function timeOf(query: SearchQuery): number {
  const start = performance.now();
  index.search(query);
  return performance.now() - start;
}
