import type { Config } from "../../config.ts";
import { chosenLanguages } from "./languages.ts";
import type { SearchCluster } from "./search-cluster-types.ts";

/** Undefined if SEARCH_URL is not set: then its code is not loaded. */
export async function openSearchCluster({
  search,
  languages,
}: Pick<Config, "search" | "languages">): Promise<SearchCluster | undefined> {
  if (search === undefined) return undefined;
  const { composeOpenSearch } = await import("./opensearch.ts");
  return composeOpenSearch(search, chosenLanguages({ languages }));
}
