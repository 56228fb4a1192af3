import {
  type AnswerTexts,
  allWords,
  type LanguageCode,
} from "@product-search/core/domain/languages/languages.ts";
import type { AnswerBrief, AnswerPart, AnswerProduct } from "@product-search/core/ports/answer-writer.ts";

/** What the placeholders of a text stand for: products by their role, and other words. */
export interface Slots {
  best?: AnswerProduct;
  other?: AnswerProduct;
  [word: string]: AnswerProduct | string | undefined;
}

/** The texts of a language, and how they are filled. */
export interface Wording {
  language: LanguageCode;
  texts: AnswerTexts;
  /** `{best.price}` becomes the reference `{p1.price}`; what has no slot stays: `{total}`. */
  fill(text: string, slots: Slots): string;
  /** "a, b and c". */
  all(parts: readonly string[]): string;
  /** "a, b or c". */
  any(parts: readonly string[]): string;
  quoted(text: string): string;
  /** The thing that a part of the request asks for, in the user's words or the catalog's: "the tote". */
  thing(part: AnswerPart, index: number): string;
  /** The same without an article, for use in a phrase. */
  noun(part: AnswerPart, index: number): string;
}

export function wordingOf(language: AnswerBrief["language"]): Wording {
  const { answer: texts } = allWords[language];
  const quoted = (text: string): string => texts.quoted.replace("{text}", text);
  const noun = ({ wording, kind }: AnswerPart, index: number): string => {
    if (wording === undefined) return kind ?? texts.otherThing;
    const words = `{w${index + 1}.said}`;
    // "The 5 mugs" would state a number; in quotation marks it is the user's.
    return language === "en" && !/\d/u.test(wording) ? words : quoted(words);
  };
  return {
    language,
    texts,
    fill,
    noun,
    quoted,
    all: (parts) => inWords(parts, texts.and),
    any: (parts) => inWords(parts, texts.or),
    thing: (part, index) =>
      part.wording === undefined ? noun(part, index) : fill(texts.the, { said: noun(part, index) }),
  };
}

function fill(text: string, slots: Slots): string {
  const words = text.replace(/\{(\w+)\}/g, (reference, name: string) => {
    const word = slots[name];
    return typeof word === "string" ? word : reference;
  });
  return words.replace(/\{(\w+)\.(\w+)\}/g, (reference, name: string, field: string) => {
    const product = slots[name];
    return typeof product === "object" ? `{${product.reference}.${field}}` : reference;
  });
}

function inWords(parts: readonly string[], link: string): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} ${link} ${last}`;
}

/** The quote of a product, in quotation marks, and its language if that is not the answer's. */
export function quoteOf(product: AnswerProduct, wording: Wording): string {
  return inItsLanguage(wording.quoted(`{${product.reference}.quote}`), product, wording);
}

export function inItsLanguage(
  quote: string,
  { descriptionLanguage }: Pick<AnswerProduct, "descriptionLanguage">,
  { language, texts, fill }: Wording,
): string {
  if (descriptionLanguage === undefined) return quote;
  const said = new Intl.DisplayNames([language], { type: "language" }).of(descriptionLanguage);
  return `${quote} (${fill(texts.inLanguage, { said })})`;
}

/** Whether a quote is worth reading: one in another language is, if it is about the request. */
export function isReadable({ quote, quoteIsReason, descriptionLanguage }: AnswerProduct): boolean {
  return quote !== undefined && (quoteIsReason || descriptionLanguage === undefined);
}

/** The text, unless the product has no rating. */
export function ifRated({ rating }: AnswerProduct, text: string): string {
  return rating === undefined ? "" : text;
}
