import { type Phrase, phrase } from "@product-search/core/domain/query-understanding/phrase-table.ts";
import { together } from "@product-search/core/domain/query-understanding/price-phrases.ts";
import type { RequestMeaning } from "../request-meaning.ts";
import type { Sorting } from "../understanding.ts";

const by = (sort: Sorting["sort"], order: Sorting["order"]) => () => ({ sorting: { sort, order } });

/** Applied after the price phrases, which read "cheaper than 50". */
export const sortPhrases: readonly Phrase<RequestMeaning>[] = [
  phrase<RequestMeaning>(
    "\\b(?:not|nothing|isn't|aren't) (?:(?:too|very|so|that|overly) )?(?:expensive|pricey|costly)\\b",
    by("price", "asc"),
  ),
  phrase<RequestMeaning>("\\b(?:not|nothing) (?:(?:too|very|so) )?cheap\\b", by("price", "desc")),
  phrase<RequestMeaning>(
    "\\b(?:the )?(?:most expensive|priciest|costliest|highest[- ]priced?|dearest|most luxurious|expensive|high[- ]end|luxury|luxurious|premium)\\b",
    by("price", "desc"),
  ),
  phrase<RequestMeaning>(
    "\\b(?:the )?(?:cheapest|least expensive|lowest[- ](?:priced?|cost)|most affordable|(?:at |for )?the (?:lowest|best) price|(?:sorted )?by price|cheap(?:er|ly)?|inexpensive|affordable|low[- ](?:cost|priced?)|budget(?:[- ]friendly)?|economical|on a budget)\\b(?: first)?",
    by("price", "asc"),
  ),
  phrase<RequestMeaning>("\\bbetter[- ](?:rated|reviewed)(?! than)\\b", by("rating", "desc")),
  phrase<RequestMeaning>(
    "\\b(?:the )?(?:(?:best|top|highest)[- ](?:rated|reviewed|ratings?|reviews?|rating)|(?:sorted )?by rating|most (?:loved|liked)|best|top|finest)\\b(?! ?-?sell)(?: first)?",
    by("rating", "desc"),
  ),
];

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
