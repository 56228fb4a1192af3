import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { Part, Retrieved } from "../retrieval/retrieve.ts";
import { comparable } from "../understanding/colours.ts";
import { statesWish } from "../understanding/shop-question.ts";
import type { Understanding } from "../understanding/understanding.ts";
import { isSpeakable } from "./format.ts";
import { type Facts, sentencesOf } from "./product-facts.ts";

const maxReasonLength = 110;

/** What a shop says of every product: no reason to choose one. */
const aboutSale =
  /\b(?:returns?|refunds?|delivery|shipping|dispatch(?:ed)?|payments?|cash on|order (?:now|today)|buy now|customer service|satisfaction|money back)\b/iu;

export interface Quote {
  text: string;
  /** It has words of the request. */
  isReason: boolean;
}

/**
 * The quote for each product. For a question: the answer. For a comparison: what is different. For a search: the sentence
 * about what was searched for, as a reason to choose the product. A quote has no price, rating or brand of another product.
 */
export async function chooseQuotes(
  { question, compares }: Understanding,
  { parts, products }: Retrieved,
  facts: Facts,
  textSearch: Pick<TextSearch, "brandsNamedIn">,
): Promise<(Quote | undefined)[]> {
  const partOf = (product: StoredProduct): Part | undefined =>
    parts.find((part) => part.products.some(({ rowId }) => rowId === product.rowId));
  const answer = facts !== undefined && "quote" in facts ? facts.quote : undefined;
  return Promise.all(
    products.map(async (product) => {
      const quote =
        question !== undefined && answer !== undefined
          ? { text: answer, isReason: true }
          : reasonIn(product, partOf(product), compares ?? false);
      return quote !== undefined && (await isQuotable(quote.text, product, textSearch))
        ? { ...quote, text: quote.text.replace(/[.,;]$/u, "") }
        : undefined;
    }),
  );
}

/** The sentence of the description with most of the requested words; if none has any, the sentence with the features. */
function reasonIn(product: StoredProduct, part: Part | undefined, compares: boolean): Quote | undefined {
  const { name, description } = product;
  const { intent, served } = part ?? {};
  const wishes = (intent?.wishes ?? []).filter((wish) => statesWish(product, wish));
  const sentences = sentencesOf(description).filter((sentence) => !aboutSale.test(sentence));
  const short = sentences.filter(({ length }) => length <= maxReasonLength);
  /** The name already says what the thing is. */
  const isNews = (word: string): boolean => !` ${comparable(name)} `.includes(` ${word} `);
  const asked = [
    ...(intent?.words ?? []),
    ...(intent?.purpose ?? []),
    ...wishes,
    ...(served === undefined ? [] : [served.by]),
  ]
    .map(comparable)
    .filter(isNews);
  const counts = short.map(
    (sentence) => asked.filter((word) => ` ${comparable(sentence)} `.includes(` ${word} `)).length,
  );
  const most = Math.max(0, ...counts);
  // The first sentence usually says what the thing is; the next one says what is special about it.
  const features = sentences.slice(1).find(({ length }) => length <= maxReasonLength);
  const reason = compares || most === 0 ? undefined : short[counts.indexOf(most)];
  if (reason !== undefined) return { text: reason, isReason: true };
  return features === undefined ? undefined : { text: features, isReason: false };
}

async function isQuotable(
  quote: string,
  { brand }: StoredProduct,
  { brandsNamedIn }: Pick<TextSearch, "brandsNamedIn">,
): Promise<boolean> {
  if (
    !isSpeakable(quote) ||
    /[“”„«»]|\bstars?\b|\b(?:price|usd|eur|gbp|dollars?|euros?|pounds?)\b/iu.test(quote)
  )
    return false;
  return (await brandsNamedIn(quote)).every((name) => name === brand);
}
