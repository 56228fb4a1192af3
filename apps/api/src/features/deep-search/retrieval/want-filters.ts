import type { Constraints } from "../../../domain/query-understanding/constraints.ts";
import type { TextFilters } from "../../../ports/text-search.ts";

/** Deep search answers from our own catalog. */
export function filtersOf({ colours, without, ...same }: Constraints): TextFilters {
  return {
    source: "catalog",
    ...same,
    ...(colours !== undefined && { withWords: colours }),
    ...(without !== undefined && { withoutWords: without }),
  };
}
