import type { AnswerBrief, AnswerProduct } from "@product-search/core/ports/answer-writer.ts";
import { quoteOf, type Wording } from "./wording.ts";

/** The answer to a question about one product: from its data, or a quote from its texts, or that they do not say. */
export function productSentences(brief: AnswerBrief, wording: Wording): string[] {
  const { texts, fill } = wording;
  const best = brief.products.find(({ speakable }) => speakable);
  if (best === undefined) return [texts.product.list];
  const slots = {
    best,
    state: texts.product[best.availability],
    quote: quoteOf(best, wording),
    said: wording.quoted("{asked}"),
  };
  const { product } = texts;
  if (brief.askedField !== undefined) return fieldSentences(brief.askedField, best, wording);
  if (best.quote !== undefined && best.quoteIsReason)
    return [fill(product.says, slots), fill(product.rest, slots)];
  return [
    fill(brief.asked === undefined ? product.unsaidAtAll : product.unsaid, slots),
    fill(best.quote === undefined ? product.ask : product.askAfterQuote, slots),
  ];
}

/** The field that was asked for, and then what else a shopper wants to know. */
function fieldSentences(
  field: NonNullable<AnswerBrief["askedField"]>,
  best: AnswerProduct,
  { texts: { product }, fill }: Wording,
): string[] {
  const slots = { best, state: product[best.availability] };
  if (field === "rating" || field === "brand")
    return [fill(product[field], slots), fill(product.rest, slots)];
  return [fill(product[field], slots), ...(best.rating === undefined ? [] : [fill(product.rated, slots)])];
}
