import type { TextFilters } from "@product-search/core/ports/text-search.ts";
import type { Intent } from "../understanding/understanding.ts";
import { shadesOf } from "../understanding/word-lists.ts";

/** Deep search uses only the service's own catalog. */
export function filtersOf({ kinds, constraints }: Pick<Intent, "kinds" | "constraints">): TextFilters {
  const { colours = [], without, ...same } = constraints;
  const withWords = [...colours, ...(kinds === undefined || kinds.length === 0 ? [] : [kinds])];
  return {
    source: "catalog",
    ...same,
    ...(withWords.length > 0 && { withWords }),
    ...(without !== undefined && { withoutWords: withShades(without) }),
  };
}

function withShades(words: readonly string[]): string[] {
  return [...new Set(words.flatMap((word) => [word, ...(shadesOf.get(word) ?? [])]))];
}
