import { type LanguageCode, languageCodes } from "@product-search/core/domain/feed-values/language.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";

/** The most frequent words of each language that are rare in the others. */
const frequentWords: Readonly<Record<LanguageCode, ReadonlySet<string>>> = {
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
}: Pick<StoredProduct, "language" | "name" | "description">): LanguageCode | undefined {
  if (language !== undefined) return languageCodes.find((one) => one === language);
  const words = `${name} ${description}`.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = languageCodes
    .map((one) => ({ known: one, count: words.filter((word) => frequentWords[one].has(word)).length }))
    .toSorted((one, other) => other.count - one.count);
  const [first, second] = counts;
  return first !== undefined && first.count > (second?.count ?? 0) ? first.known : undefined;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
