import type { Segment } from "../../segment/segment.ts";
import type { NameKind } from "../../segment/segment-tables.ts";
import { stringCount } from "../../segment/string-table.ts";

/** An inverted column of names: the documents of name `n`, ascending, are `docs` in `[starts[n], starts[n + 1])`. */
interface NameLists {
  readonly docs: Uint32Array;
  readonly starts: Uint32Array;
}

const listsOf = new WeakMap<Segment, Partial<Record<NameKind, NameLists>>>();

/** The documents with any of the wanted names, ascending. The column is inverted on first use. */
export function documentsWithNames(segment: Segment, kind: NameKind, wanted: Uint8Array): Uint32Array {
  const known = listsOf.get(segment) ?? {};
  listsOf.set(segment, known);
  known[kind] ??= turnRound(segment.sections[kind], stringCount(segment[kind]), segment.documents);
  const { docs, starts } = known[kind];
  const lists: Uint32Array[] = [];
  wanted.forEach((mark, name) => {
    if (mark === 1) lists.push(docs.subarray(starts[name], starts[name + 1]));
  });
  return joinLists(lists);
}

/** Counting sort: one pass for the lengths, one to fill in. */
function turnRound(column: Uint32Array, names: number, documents: number): NameLists {
  const starts = new Uint32Array(names + 1);
  for (let doc = 0; doc < documents; doc++) {
    const after = (column[doc] ?? 0) + 1;
    starts[after] = (starts[after] ?? 0) + 1;
  }
  for (let name = 1; name <= names; name++) starts[name] = (starts[name] ?? 0) + (starts[name - 1] ?? 0);
  const next = starts.slice();
  const docs = new Uint32Array(documents);
  for (let doc = 0; doc < documents; doc++) {
    const name = column[doc] ?? 0;
    const at = next[name] ?? 0;
    docs[at] = doc;
    next[name] = at + 1;
  }
  return { docs, starts };
}

/** The union of ascending lists, ascending and without duplicates. */
export function joinLists(lists: readonly Uint32Array[]): Uint32Array {
  return lists.reduce(
    (joined, list) => (joined.length === 0 ? list : joinTwo(joined, list)),
    new Uint32Array(),
  );
}

function joinTwo(one: Uint32Array, other: Uint32Array): Uint32Array {
  const joined = new Uint32Array(one.length + other.length);
  let count = 0;
  for (let i = 0, j = 0; i < one.length || j < other.length; ) {
    const first = one[i] ?? Number.POSITIVE_INFINITY;
    const second = other[j] ?? Number.POSITIVE_INFINITY;
    joined[count++] = Math.min(first, second);
    if (first <= second) i++;
    if (second <= first) j++;
  }
  return joined.subarray(0, count);
}
