import { nameAt } from "../facets/segment-names.ts";
import type { Segment } from "../segment/segment.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { compareCodePoints, stringCount } from "../segment/string-table.ts";
import { tokenize } from "../text/tokenize.ts";
import { letterMask } from "./similar-beginnings.ts";

/** The rest of a name from one of its words on, folded: "aurelle finch" and "finch" of "Aurelle & Finch". */
export interface NameEnd {
  readonly text: string;
  readonly mask: number;
  /** The index of the name in the segment's table. */
  readonly name: number;
  readonly isWhole: boolean;
}

/** Later words of longer names are not looked up. */
const maxWords = 6;

const endsOf = new WeakMap<Segment, Partial<Record<NameKind, readonly NameEnd[]>>>();

/** The rests of all names of a segment, sorted; computed on first use. */
export function nameEnds(segment: Segment, kind: NameKind): readonly NameEnd[] {
  const known = endsOf.get(segment) ?? {};
  endsOf.set(segment, known);
  known[kind] ??= collect(segment, kind);
  return known[kind];
}

/** Those that begin with the text. */
export function endsBeginning(ends: readonly NameEnd[], text: string): readonly NameEnd[] {
  return ends.slice(lowerBound(ends, text), lowerBound(ends, `${text}\u{10ffff}`));
}

function collect(segment: Segment, kind: NameKind): NameEnd[] {
  const ends: NameEnd[] = [];
  for (let name = 0; name < stringCount(segment[kind]); name++) {
    const words = tokenize(nameAt(segment, kind, name), "query");
    for (let from = 0; from < Math.min(words.length, maxWords); from++) {
      const text = words.slice(from).join(" ");
      ends.push({ text, mask: letterMask(text), name, isWhole: from === 0 });
    }
  }
  return ends.sort((a, b) => compareCodePoints(a.text, b.text));
}

function lowerBound(ends: readonly NameEnd[], text: string): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareCodePoints(ends[middle]?.text ?? "", text) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
