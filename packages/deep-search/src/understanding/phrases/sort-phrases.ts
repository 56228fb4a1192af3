import { type Phrase, phrase } from "@product-search/core/domain/query-understanding/phrase-table.ts";
import { together } from "@product-search/core/domain/query-understanding/price-phrases.ts";
import type { RequestMeaning } from "../request-meaning.ts";

/** The service cannot sort by these, but they are recognised: as search words they would find nothing. */
export const newestPhrases: readonly Phrase<RequestMeaning>[] = [
  phrase<RequestMeaning>(
    "\\b(?:the )?(?:(?:very )?(?:newest|latest)|most recent|recently (?:released|added|launched)|new(?:ly)?[- ](?:released?|arrived|arrivals?|launched)|just (?:in|released|out)|brand[- ]new)\\b(?: (?:first|ones?|models?|releases?|arrivals?))?",
    () => ({ newest: true }),
  ),
];

/** Applied after the price phrases, which look for these words after an amount. */
export const togetherPhrases: readonly Phrase<RequestMeaning>[] = [
  phrase<RequestMeaning>(together, () => ({ shared: true })),
];

/** The catalog does not know what sells: the best rated come first, and the answer says so. */
export const popularPhrases: readonly Phrase<RequestMeaning>[] = [
  phrase<RequestMeaning>(
    "\\b(?:the )?(?:most |very )?(?:popular|famous|best[- ]?sell(?:ing|ers?)|trending|in demand)\\b(?: (?:ones?|right now|now|at the moment))?",
    () => ({ popular: true, sorting: { sort: "rating", order: "desc" } }),
  ),
];
