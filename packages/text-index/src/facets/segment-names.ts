import type { Segment } from "../segment/segment.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { compareCodePoints, stringAt } from "../segment/string-table.ts";
import { nameKey } from "../text/tokenize.ts";
import { findVariants, type Variants } from "./name-variants.ts";

const decodedOf = new WeakMap<Segment, Partial<Record<NameKind, (string | undefined)[]>>>();

/** The name of a segment at an index of the table. */
export function nameAt(segment: Segment, kind: NameKind, index: number): string {
  const kinds = decodedOf.get(segment) ?? {};
  decodedOf.set(segment, kinds);
  kinds[kind] ??= [];
  kinds[kind][index] ??= stringAt(segment[kind], index);
  return kinds[kind][index] ?? "";
}

const variantsOf = new WeakMap<Segment, Partial<Record<NameKind, Variants>>>();

export function nameVariants(segment: Segment, kind: NameKind): Variants {
  const kinds = variantsOf.get(segment) ?? {};
  variantsOf.set(segment, kinds);
  kinds[kind] ??= findVariants(segment[kind], { keyOf: nameKey, compare: compareCodePoints });
  return kinds[kind];
}
