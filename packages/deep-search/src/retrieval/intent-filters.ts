import type { TextFilters } from "@product-search/core/ports/text-search.ts";
import type { Intent } from "../understanding/understanding.ts";
import { shadesOf } from "../understanding/word-lists.ts";

/** Deep search uses only the service's own catalog. */
export function filtersOf({ kinds, constraints }: Pick<Intent, "kinds" | "constraints">): TextFilters {
  const { colours = [], without, ...same } = constraints;
  return {
    source: "catalog",
    ...same,
    ...(kinds !== undefined && { kinds: kinds.map(({ category, words }) => ({ category, words })) }),
    ...(colours.length > 0 && { withWords: colours }),
    ...(without !== undefined && { withoutWords: withShades(without) }),
  };
}

function withShades(words: readonly string[]): string[] {
  return [...new Set(words.flatMap((word) => [word, ...(shadesOf.get(word) ?? [])]))];
}
