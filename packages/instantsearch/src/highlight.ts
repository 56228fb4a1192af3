import type { Product } from "@product-search/types";
import { fold } from "./catalog-query.js";
import type { SearchParameters } from "./filters.js";

export interface HighlightResult {
  value: string;
  matchLevel: "none" | "partial" | "full";
  matchedWords: string[];
}

const highlightedFields = ["name", "brand", "category", "storeName", "description"] as const;

/** InstantSearch escapes the text around its tags. */
export function highlightsOf(product: Product, parameters: SearchParameters) {
  const { attributesToSnippet = [], snippetEllipsisText = "…" } = parameters;
  const texts = highlightedFields.flatMap((field) => {
    const text = product[field];
    return text === undefined ? [] : [[field, text] as const];
  });
  const marked: Record<string, string | undefined> = { ...product.highlights };
  const mark = (field: string, text: string) => highlightWords(text, parameters, marked[field]);
  const snippets = attributesToSnippet.flatMap((attribute) => {
    const [name, size = "10"] = attribute.split(":");
    return texts
      .filter(([field]) => field === name)
      .map(([field, text]) => {
        const { matchedWords } = mark(field, text);
        return [
          field,
          mark(field, snippetOf(text, Number(size), matchedWords, snippetEllipsisText)),
        ] as const;
      });
  });
  return {
    _highlightResult: Object.fromEntries(texts.map(([field, text]) => [field, mark(field, text)])),
    _snippetResult: Object.fromEntries(snippets),
  };
}

const word = /[\p{L}\p{N}\p{M}]+/gu;

/** Marked are words that a word of the query begins, and what the service marks. */
export function highlightWords(
  text: string,
  { query = "", highlightPreTag = "<em>", highlightPostTag = "</em>" }: SearchParameters,
  markedHtml = "",
): HighlightResult {
  const queryWords = new Set(fold(query).match(word) ?? []);
  const matched = new Set<string>();
  const value = text.replace(word, (part) => {
    const beginning = [...queryWords].find((one) => fold(part).startsWith(one));
    if (beginning === undefined && !markedHtml.includes(`<mark>${part}</mark>`)) return part;
    matched.add(beginning ?? fold(part));
    return `${highlightPreTag}${part}${highlightPostTag}`;
  });
  const matchLevel = matched.size === 0 ? "none" : matched.size >= queryWords.size ? "full" : "partial";
  return { value, matchLevel, matchedWords: [...matched] };
}

/** `size` words of a text, with the first that matches among them. */
function snippetOf(text: string, size: number, matchedWords: readonly string[], ellipsis: string): string {
  const words = [...text.matchAll(word)];
  const first = words.findIndex(([part]) => matchedWords.some((one) => fold(part).startsWith(one)));
  const from = Math.max(Math.min(first - Math.floor(size / 2), words.length - size), 0);
  const start = from > 0 ? (words[from]?.index ?? 0) : 0;
  const end = words[from + size]?.index ?? text.length;
  return (from > 0 ? ellipsis : "") + text.slice(start, end).trimEnd() + (end < text.length ? ellipsis : "");
}
