import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { type AnswerLanguage, answerLanguages } from "@product-search/core/ports/answer-writer.ts";

/** The most frequent words of each language that are rare in the others. */
const frequentWords: Readonly<Record<AnswerLanguage, ReadonlySet<string>>> = {
  en: wordsOf("the and with for of is are this our from by to your"),
  de: wordsOf("der die das und mit aus für ist sind von den dem ein eine im zum zur"),
  fr: wordsOf("le la les et avec pour du des est sont un une dans au aux"),
  es: wordsOf("el los las y con para del es son una por al su"),
};

/** The language of a product's description, if it is one of those that answers are written in and is clear. */
export function descriptionLanguage({
  language,
  name,
  description,
}: Pick<StoredProduct, "language" | "name" | "description">): AnswerLanguage | undefined {
  if (language !== undefined) return answerLanguages.find((one) => one === language);
  const words = `${name} ${description}`.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = answerLanguages
    .map((one) => ({ known: one, count: words.filter((word) => frequentWords[one].has(word)).length }))
    .toSorted((one, other) => other.count - one.count);
  const [first, second] = counts;
  return first !== undefined && first.count > (second?.count ?? 0) ? first.known : undefined;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
