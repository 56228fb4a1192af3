import { ApiError } from "@product-search/core/errors.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { Snapshot } from "@product-search/text-index";
import { createEmbeddedTextSearch, type LongSearch } from "@product-search/text-search/embedded.ts";
import type { SynonymsOf } from "@product-search/text-search/newest-index.ts";

export type { LongSearch } from "@product-search/text-search/embedded.ts";

/**
 * An HTTP thread searches no longer: with what cannot stop, that is less than 25 ms at 100,000 products, and 50 at a million.
 * There some ordinary searches take more than 10 ms; they would wait for the long ones of the caller who uses most.
 */
const shortMs = (documents: number, share: number) =>
  share > 1 / 2 ? 10 : 10 + 15 * Math.min(1, documents / 1_000_000);
/** Of the first searches of a thread, some ordinary ones take 50 ms, there and elsewhere. The 20th may take 25 ms. */
const warmUpMs = 300;
/** Nobody waits longer for one search, and it holds up the long searches of others. */
const longestMs = 2000;

export interface IndexFeeds {
  /** Passes on what the index thread publishes, now and later. */
  textIndex(receive: (snapshot: Snapshot) => void): void;
  /** Passes on the synonyms after every change by an operator. */
  synonyms?(receive: (synonymsOf: SynonymsOf) => void): void;
}

/** The search of a thread. Without another one for what takes long, it finishes everything itself. */
export function composeEmbeddedSearch({ textIndex, synonyms }: IndexFeeds, beyond?: LongSearch): TextSearch {
  return createEmbeddedTextSearch({
    subscribe: textIndex,
    synonyms,
    limit: beyond && { milliseconds: shortMs, beyond, warmUpMs },
  });
}

/** The search of the thread for what takes long elsewhere. */
export function composeLongSearch(feeds: IndexFeeds): LongSearch {
  const refuse = () =>
    Promise.reject(
      new ApiError(
        "unavailable",
        "This search takes too long. Send fewer words, filters or facets, or try again later.",
        { retryAfterSeconds: 10 },
      ),
    );
  return createEmbeddedTextSearch({
    subscribe: feeds.textIndex,
    synonyms: feeds.synonyms,
    limit: { milliseconds: () => longestMs, beyond: { search: refuse, suggest: refuse, findBrands: refuse } },
  });
}
