import type { Availability } from "@product-search/core/domain/availability.ts";
import {
  type Meaning,
  type Phrase,
  phrase,
} from "@product-search/core/domain/query-understanding/phrase-table.ts";

const state = (availability: Availability) => (): Meaning => ({
  constraints: { availability: [availability] },
});
const lead = "\\b(?:that (?:is|are) |which (?:is|are) |is |are |only |currently )*";

export const availabilityPhrases: readonly Phrase[] = [
  phrase(
    `${lead}(?:not (?:out of stock|sold out)|(?:in|on) stock|ready to ship|(?:available|ships?|shipping|deliver(?:ed|able)?) (?:now|today|immediately|right (?:now|away)|straight away))\\b`,
    state("in_stock"),
  ),
  phrase(`${lead}(?:available )?(?:for |on |to )?pre-? ?orders?(?:ed|able)?(?: only)?\\b`, state("preorder")),
  phrase(`${lead}(?:on )?back-? ?order(?:ed|able)?\\b`, state("backorder")),
  phrase(`${lead}(?:out of stock|sold out)\\b`, state("out_of_stock")),
  phrase("\\b(?:that (?:is|are) |which (?:is|are) )(?:still )?available\\b", state("in_stock")),
];
