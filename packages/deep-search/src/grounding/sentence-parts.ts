import type { AnswerBrief, AnswerProduct } from "@product-search/core/ports/answer-writer.ts";
import { referencePattern, resolveReference } from "../answer/render-sentence.ts";

/** One reference of a sentence, with the words around it. */
export interface FoundReference {
  reference: string;
  field: string;
  product?: AnswerProduct;
  /** The text that replaces it; undefined if there is none. */
  rendered: string | undefined;
  before: string;
  after: string;
}

/** A sentence split into its references and its own words. */
export interface SentenceParts {
  sentence: string;
  references: readonly FoundReference[];
  /** The products it names, in order. */
  named: readonly AnswerProduct[];
  /** The sentence with "⌁" in place of every reference. */
  literal: string;
  words: readonly string[];
}

export function takeApart(sentence: string, brief: AnswerBrief): SentenceParts {
  const references = [...sentence.matchAll(referencePattern)].map((match): FoundReference => {
    const reference = match[1] ?? "";
    const [name, field = ""] = reference.split(".");
    const product = brief.products.find((candidate) => candidate.reference === name);
    return {
      reference,
      field,
      ...(product !== undefined && { product }),
      rendered: resolveReference(reference, brief),
      before: sentence.slice(0, match.index).toLowerCase(),
      after: sentence.slice(match.index + match[0].length).toLowerCase(),
    };
  });
  const literal = sentence.replace(referencePattern, "⌁");
  return {
    sentence,
    references,
    named: references.flatMap(({ field, product }) =>
      (field === "name" || field === "short") && product !== undefined ? [product] : [],
    ),
    literal,
    words: literal.toLowerCase().match(/\p{L}[\p{L}\p{M}]*(?:['’-]\p{L}[\p{L}\p{M}]*)*/gu) ?? [],
  };
}
