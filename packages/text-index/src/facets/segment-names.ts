import type { Segment } from "../segment/segment.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { stringAt, stringCount } from "../segment/string-table.ts";
import { fold } from "../text/fold.ts";

interface Names {
  /** Decoded on first use. */
  readonly decoded: (string | undefined)[];
  byKey: ReadonlyMap<string, readonly number[]> | undefined;
}

const namesOf = new WeakMap<Segment, Partial<Record<NameKind, Names>>>();

function tableOf(segment: Segment, kind: NameKind): Names {
  const kinds = namesOf.get(segment) ?? {};
  namesOf.set(segment, kinds);
  kinds[kind] ??= { decoded: [], byKey: undefined };
  return kinds[kind];
}

/** The name of a segment at an index of the table. */
export function nameAt(segment: Segment, kind: NameKind, index: number): string {
  const { decoded } = tableOf(segment, kind);
  decoded[index] ??= stringAt(segment[kind], index);
  return decoded[index] ?? "";
}

/** The indices of the names that differ from this one only in case and accents. */
export function indexesOfName(segment: Segment, kind: NameKind, name: string): readonly number[] {
  const names = tableOf(segment, kind);
  names.byKey ??= keyed(segment, kind);
  return names.byKey.get(nameKey(name)) ?? [];
}

function keyed(segment: Segment, kind: NameKind): Map<string, number[]> {
  const byKey = new Map<string, number[]>();
  for (let index = 0; index < stringCount(segment[kind]); index++) {
    const key = nameKey(nameAt(segment, kind, index));
    byKey.set(key, [...(byKey.get(key) ?? []), index]);
  }
  return byKey;
}

/** Names with the same key differ only in case and accents. */
export function nameKey(name: string): string {
  return fold(name).trim();
}
