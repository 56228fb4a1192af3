import {
  type Meaning,
  type Phrase,
  phrase,
} from "@product-search/core/domain/query-understanding/phrase-table.ts";

const anyDiscount = 1;
const percent = "(\\d{1,2}(?:\\.\\d+)?) ?(?:%|percent|per cent)";

const reducedBy = (match: RegExpExecArray): Meaning => ({ constraints: { minDiscount: Number(match[1]) } });

export const discountPhrases: readonly Phrase[] = [
  phrase(
    `\\b(?:with |that (?:is|are) |reduced |discounted )?(?:(?:a |an |by )?(?:at least|over|more than|min(?:imum)?|from) )?(?:a |by )?${percent} ?(?:or more |\\+ ?)?(?:off|discount(?:ed)?|reduced|reduction|cheaper|saving|less)`,
    reducedBy,
  ),
  phrase(
    `\\b(?:reduced|discount(?:ed)?)(?: of| by)?(?: at least| over| more than)? ${percent}(?: or more)?`,
    reducedBy,
  ),
  phrase("\\b(?:at )?half[- ](?:price|off)(?: or less)?\\b", () => ({ constraints: { minDiscount: 50 } })),
  phrase(
    "\\b(?:biggest|highest|largest|best|deepest|greatest) (?:discounts?|deals?|bargains?|savings?|reductions?|offers?)(?: on)?\\b|\\bmost (?:reduced|discounted)\\b",
    () => ({ constraints: { minDiscount: anyDiscount }, sorting: { sort: "discount", order: "desc" } }),
  ),
  phrase(
    "\\b(?:that (?:is|are) |currently |which (?:is|are) )*(?:on (?:sale|offer|special|discount)|in the sale|for sale now|discounted|reduced(?: in price)?|marked down|(?:with (?:a )?)discounts?|(?:good |great |any |a |some )*(?:bargains?|deals?|special offers?)(?: on| for)?)\\b",
    () => ({ constraints: { minDiscount: anyDiscount } }),
  ),
];
