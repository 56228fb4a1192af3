import { join } from "node:path";
import type { KindFinder } from "@product-search/core/ports/kind-finder.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { translateQuery } from "@product-search/deep-search/understanding/foreign/translate.ts";
import {
  createKindFinder,
  createSearchByMeaning,
  followKinds,
  type KindsOfCatalog,
} from "@product-search/text-search/kinds/search-by-meaning.ts";
import type { Config } from "../../config.ts";
import type { Stores } from "../stores/stores.ts";

export type { KindsOfCatalog } from "@product-search/text-search/kinds/search-by-meaning.ts";

/** Keeps the kinds of the catalog up to date, in the thread that keeps its index. */
export function composeKindFollower(
  { dataDir }: Pick<Config, "dataDir">,
  { searchedCatalog: log, untilSearchedChange }: Pick<Stores, "searchedCatalog" | "untilSearchedChange">,
  publish: (kinds: KindsOfCatalog) => void,
  onError: (error: unknown) => void,
  untilFree: (signal: AbortSignal) => Promise<void> = async () => {},
) {
  const stopping = new AbortController();
  const file = join(dataDir, "kinds.bin");
  const settings = { log, file, untilChange: untilSearchedChange(), publish, onError, untilFree };
  const ended = followKinds(settings, stopping.signal);
  return {
    ended,
    stop() {
      stopping.abort();
      return ended;
    },
  };
}

/** The kinds that another thread publishes, and the text search that uses them. */
export function composeSearchByMeaning(
  textSearch: TextSearch,
  subscribe: (receive: (kinds: KindsOfCatalog) => void) => void,
): { kindFinder: KindFinder; textSearch: TextSearch } {
  const kindFinder = createKindFinder(subscribe);
  return {
    kindFinder,
    textSearch: createSearchByMeaning({ textSearch, kindFinder, translate: translateQuery }),
  };
}
