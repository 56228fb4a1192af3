import type { TextFilters } from "@product-search/core/ports/text-search.ts";
import { wordsOfMeasure } from "../understanding/measures.ts";
import type { Intent } from "../understanding/understanding.ts";
import { materialsFor, shadesOf } from "../understanding/word-lists.ts";

/** Deep search uses only the service's own catalog. */
export function filtersOf({
  kinds,
  constraints,
  measures = [],
}: Pick<Intent, "kinds" | "constraints" | "measures">): TextFilters {
  const { colours = [], without, ...same } = constraints;
  const withWords = [...colours, ...measures.flatMap(wordsOfMeasure)];
  return {
    source: "catalog",
    ...same,
    ...(kinds !== undefined && { kinds: kinds.map(({ category, words }) => ({ category, words })) }),
    ...(withWords.length > 0 && { withWords }),
    ...(without !== undefined && { withoutWords: withShades(without) }),
  };
}

function withShades(words: readonly string[]): string[] {
  return [
    ...new Set(
      words.flatMap((word) => [word, ...(shadesOf.get(word) ?? []), ...(materialsFor.get(word) ?? [])]),
    ),
  ];
}
