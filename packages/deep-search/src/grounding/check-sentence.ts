import type { AnswerBrief, AnswerProduct } from "@product-search/core/ports/answer-writer.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { wordStem } from "../understanding/same-word.ts";
import { claimRules } from "./claim-rules.ts";
import { formRules } from "./form-rules.ts";
import { plainWords } from "./plain-words.ts";
import { type SentenceParts, takeApart } from "./sentence-parts.ts";

/** Checks a sentence of a writer for statements that the products do not support. Returns what is wrong, or undefined. */
export type CheckSentence = (sentence: string) => Promise<string | undefined>;

export function createSentenceCheck(
  brief: AnswerBrief,
  { brandsNamedIn }: Pick<TextSearch, "brandsNamedIn">,
): CheckSentence {
  const ofProduct = new Map(brief.products.map((product) => [product, wordsOf(product)]));
  const kinds = wordsIn([...brief.near, ...brief.products.map(({ category = "" }) => category)].join(" "));
  return async (sentence) => {
    const parts = takeApart(sentence, brief);
    for (const rule of formRules) {
      const fault = rule(parts);
      if (fault !== undefined) return fault;
    }
    for (const rule of claimRules) {
      const fault = rule(parts, brief);
      if (fault !== undefined) return fault;
    }
    const said = parts.named.map((product) => ofProduct.get(product) ?? new Set<string>());
    return unknownWord(parts, [plainWords, kinds, ...said]) ?? (await nameInWords(parts, brandsNamedIn));
  };
}

/** A property that no text of the named products has, or a name in lower case. */
function unknownWord({ words }: SentenceParts, known: readonly ReadonlySet<string>[]): string | undefined {
  const has = (word: string): boolean => known.some((set) => set.has(word) || set.has(wordStem(word)));
  const isKnown = (word: string): boolean =>
    has(word) || has(word.replace(/'s$/u, "")) || word.split(/['-]/u).every(has);
  const unknown = words.map((word) => word.replaceAll("’", "'")).find((word) => !isKnown(word));
  return unknown === undefined ? undefined : `"${unknown}" is said by no product that the sentence names`;
}

async function nameInWords(
  { literal }: SentenceParts,
  brandsNamedIn: TextSearch["brandsNamedIn"],
): Promise<string | undefined> {
  const [brand] = await brandsNamedIn(literal.replaceAll("⌁", ","));
  return brand === undefined ? undefined : `"${brand}" is a brand: brands come by reference`;
}

/** The words of a product's texts. Of its name, only words in lower case: "Fellhaven Ridge tent" is a tent. */
function wordsOf({ speakable, description, category = "", name }: AnswerProduct): ReadonlySet<string> {
  const common = name.split(/\s+/u).filter((word) => word === word.toLowerCase());
  return wordsIn(speakable ? [description, category, ...common].join(" ") : category);
}

function wordsIn(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];
  return new Set(words.flatMap((word) => [word, wordStem(word)]));
}
