import type { IndexBuild } from "@product-search/opensearch/cluster/index-names.ts";
import type { Config } from "../../config.ts";
import { chosenLanguages } from "./languages.ts";
import type { SearchCluster } from "./search-cluster-types.ts";

/** For people: 1,500 of 2,400, since 2026-01-31T12:00:00Z. */
export function describeBuild({ written, total, sinceMs }: IndexBuild): string {
  const [writtenText, totalText] = [written, total].map((count) => count.toLocaleString("en"));
  return `${writtenText} of ${totalText}, since ${new Date(sinceMs).toISOString().replace(/\.\d+/, "")}`;
}

/** Undefined if SEARCH_URL is not set: then its code is not loaded. */
export async function openSearchCluster({
  search,
  languages,
}: Pick<Config, "search" | "languages">): Promise<SearchCluster | undefined> {
  if (search === undefined) return undefined;
  const { composeOpenSearch } = await import("./opensearch.ts");
  return composeOpenSearch(search, chosenLanguages({ languages }));
}
