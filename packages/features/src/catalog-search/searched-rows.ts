import { maxReach } from "@product-search/core/domain/page-window.ts";
import type { CatalogQuery } from "./catalog-filters.ts";
import { type SearchCatalogDeps, searchCatalog } from "./search-catalog.ts";

export interface SearchedRows {
  /** The rows that the search of a request finds, pins or shows as related, as far as pages reach. */
  of(request: string, signal: AbortSignal): Promise<ReadonlySet<number>>;
}

/** Several clicks follow one search. */
const maxKept = 100;

/** A request is the JSON of a `CatalogQuery` without a page. */
export function createSearchedRows(deps: SearchCatalogDeps): SearchedRows {
  const kept = new Map<string, ReadonlySet<number>>();
  return {
    async of(request, signal) {
      const known = kept.get(request);
      if (known !== undefined) return known;
      const rows = await rowsOf(deps, JSON.parse(request), signal);
      for (const oldest of kept.keys()) if (kept.size >= maxKept) kept.delete(oldest);
      kept.set(request, rows);
      return rows;
    },
  };
}

/** The search itself, but with all rows and without their products. */
async function rowsOf(
  deps: SearchCatalogDeps,
  { facets: _, facetQuery: __, maxFacetValues: ___, grouped: ____, include: _____, ...query }: CatalogQuery,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const rows = new Set<number>();
  const textSearch: SearchCatalogDeps["textSearch"] = {
    numberUnit: (attribute, source) => deps.textSearch.numberUnit(attribute, source),
    hasUnit: (unit, source) => deps.textSearch.hasUnit(unit, source),
    async search(asked, searchSignal) {
      // The order words of a text are looked up in names.
      if (asked.everyWord === true) return deps.textSearch.search(asked, searchSignal);
      const hits = await deps.textSearch.search({ ...asked, offset: 0, limit: maxReach }, searchSignal);
      for (const rowId of [...hits.rowIds, ...(hits.relatedRowIds ?? [])]) rows.add(rowId);
      return { ...hits, rowIds: [], relatedRowIds: [] };
    },
  };
  await searchCatalog({ ...deps, textSearch }, query, signal);
  return rows;
}
