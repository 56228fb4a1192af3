import type { Segment } from "../../segment/segment.ts";
import type { NameKind } from "../../segment/segment-tables.ts";
import { stringCount } from "../../segment/string-table.ts";

/** An inverted column of names: the documents of name `n`, ascending, are `docs` in `[starts[n], starts[n + 1])`. */
interface NameLists {
  readonly docs: Uint32Array;
  readonly starts: Uint32Array;
}

const listsOf = new WeakMap<Segment, Partial<Record<NameKind, NameLists>>>();

/** If the names have at least this share of all documents, reading the column is faster than joining their lists. */
const largeShare = 1 / 16;

/** The column is inverted on first use. */
function nameLists(segment: Segment, kind: NameKind): NameLists {
  const known = listsOf.get(segment) ?? {};
  listsOf.set(segment, known);
  known[kind] ??= turnRound(segment.sections[kind], stringCount(segment[kind]), segment.documents);
  return known[kind];
}

/** The number of documents with any of the wanted names. */
export function countWithNames(segment: Segment, kind: NameKind, wanted: Uint8Array): number {
  const { starts } = nameLists(segment, kind);
  let count = 0;
  for (let name = 0; name < wanted.length; name++)
    if (wanted[name] === 1) count += (starts[name + 1] ?? 0) - (starts[name] ?? 0);
  return count;
}

/** The documents with any of the wanted names, ascending. Linear, however many names there are. */
export function documentsWithNames(segment: Segment, kind: NameKind, wanted: Uint8Array): Uint32Array {
  const count = countWithNames(segment, kind, wanted);
  if (count >= largeShare * segment.documents) return readColumn(segment.sections[kind], wanted, count);
  const { docs, starts } = nameLists(segment, kind);
  const found = new Uint32Array(count);
  let lists = 0;
  let at = 0;
  for (let name = 0; name < wanted.length; name++) {
    if (wanted[name] !== 1) continue;
    const list = docs.subarray(starts[name], starts[name + 1]);
    if (list.length === count) return list;
    found.set(list, at);
    at += list.length;
    lists++;
  }
  return lists > 1 ? found.sort() : found;
}

function readColumn(column: Uint32Array, wanted: Uint8Array, count: number): Uint32Array {
  const found = new Uint32Array(count);
  for (let doc = 0, at = 0; at < count; doc++) if (wanted[column[doc] ?? 0] === 1) found[at++] = doc;
  return found;
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

/** The union of ascending lists, ascending and without duplicates. Pairs are joined first: no list is copied once per list. */
export function joinLists(lists: readonly Uint32Array[]): Uint32Array {
  let left = lists.filter((list) => list.length > 0);
  while (left.length > 1) {
    const joined: Uint32Array[] = [];
    for (let i = 0; i < left.length; i += 2) {
      const [one, other] = [left[i], left[i + 1]];
      if (one !== undefined) joined.push(other === undefined ? one : joinTwo(one, other));
    }
    left = joined;
  }
  return left[0] ?? new Uint32Array();
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
