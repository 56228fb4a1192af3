import type { Steps } from "../segment/steps.ts";
import {
  compareCodePoints,
  packStrings,
  type StringTable,
  stringAt,
  stringCount,
} from "../segment/string-table.ts";

export interface TableMerge {
  readonly table: StringTable;
  /** For each input, the new numbers of its strings; 0xffffffff for strings that are not kept. */
  readonly placeOf: readonly Uint32Array[];
}

interface TableInput {
  readonly table: StringTable;
  readonly keep: (index: number) => boolean;
}

const deletedRow = 0xffffffff;
const stepsBetweenPauses = 10_000;

/** Merges sorted tables into one sorted table without duplicates. Yields every few milliseconds. */
export function* mergeTables(inputs: readonly TableInput[]): Steps<TableMerge> {
  const placeOf = inputs.map(({ table }) => new Uint32Array(stringCount(table)).fill(deletedRow));
  const next = inputs.map((input) => nextKept(input, 0));
  const heads = inputs.map(({ table }, i) => stringAt(table, next[i] ?? 0));
  const merged: string[] = [];
  for (;;) {
    let least: string | undefined;
    inputs.forEach(({ table }, i) => {
      const head = heads[i] ?? "";
      if ((next[i] ?? 0) < stringCount(table) && (least === undefined || compareCodePoints(head, least) < 0))
        least = head;
    });
    if (least === undefined) return { table: packStrings(merged), placeOf };
    inputs.forEach((input, i) => {
      const at = next[i] ?? 0;
      const places = placeOf[i];
      if (at >= stringCount(input.table) || heads[i] !== least || places === undefined) return;
      places[at] = merged.length;
      next[i] = nextKept(input, at + 1);
      heads[i] = stringAt(input.table, next[i] ?? 0);
    });
    merged.push(least);
    if (merged.length % stepsBetweenPauses === 0) yield;
  }
}

function nextKept({ table, keep }: TableInput, from: number): number {
  let index = from;
  while (index < stringCount(table) && !keep(index)) index++;
  return index;
}
