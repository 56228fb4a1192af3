import type { NameKind } from "../segment/segment-tables.ts";
import { compareCodePoints, stringAt, stringCount } from "../segment/string-table.ts";
import { settle } from "./matches.ts";
import type { FacetValue } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";

/** How many of the present matches have each brand or category, most frequent first, then by name. Empty names are left out. */
export function countFacets(readers: readonly SegmentReader[], kind: NameKind, limit: number): FacetValue[] {
  if (limit === 0) return [];
  const byName = new Map<string, number>();
  for (const { state, segment } of readers) {
    settle(state.matches);
    const column = segment.sections[kind];
    const counts = new Uint32Array(stringCount(segment[kind]));
    for (let i = 0; i < state.matches.count; i++) {
      const name = column[state.matches.docs[i] ?? 0] ?? 0;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    counts.forEach((count, index) => {
      if (count === 0) return;
      const name = stringAt(segment[kind], index);
      if (name !== "") byName.set(name, (byName.get(name) ?? 0) + count);
    });
  }
  const values = Array.from(byName, ([name, documents]) => ({ name, documents }));
  values.sort((a, b) => b.documents - a.documents || compareCodePoints(a.name, b.name));
  return values.slice(0, limit);
}
