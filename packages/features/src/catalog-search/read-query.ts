import { fold } from "@product-search/core/domain/fold.ts";
import {
  orderPhrasesWithNeighbours,
  type ReadSearch,
  readSearch,
} from "@product-search/core/domain/query-understanding/read-filters.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";

export interface ReadQueryDeps {
  catalogStore: Pick<CatalogStore, "findByRowIds">;
  textSearch: Pick<TextSearch, "search">;
  currency: string;
}

/** Each is a search. */
const maxNames = 4;
/** A product whose name has the words next to each other is one of the first that have them. */
const maxNamesakes = 10;

/** Reads the filters and the order in a search text. Order words that the catalog has in a name stay text: "Cheap Monday jeans". */
export async function readQuery(deps: ReadQueryDeps, text: string, signal: AbortSignal): Promise<ReadSearch> {
  const possible = orderPhrasesWithNeighbours(text, deps.currency).slice(0, maxNames);
  const found = await Promise.all(possible.map((words) => isInName(deps, words, signal)));
  const names = new Set(possible.filter((_, i) => found[i]));
  return readSearch(text, deps.currency, (words) => names.has(words));
}

/** Whether the catalog has a product or a brand with these words next to each other in its name. */
async function isInName(
  { catalogStore, textSearch }: ReadQueryDeps,
  words: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { rowIds } = await textSearch.search(
    {
      text: words,
      filters: { source: "catalog" },
      sort: "relevance",
      offset: 0,
      limit: maxNamesakes,
      everyWord: true,
    },
    signal,
  );
  const wanted = wordsOf(words);
  const products = rowIds.length === 0 ? [] : await catalogStore.findByRowIds(rowIds);
  return products.some(
    ({ name, brand }) => wordsOf(name).includes(wanted) || wordsOf(brand ?? "").includes(wanted),
  );
}

/** The folded words, each between two spaces. */
function wordsOf(text: string): string {
  return ` ${
    fold(text)
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(" ") ?? ""
  } `;
}
