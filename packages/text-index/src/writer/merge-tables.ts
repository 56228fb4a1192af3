import type { Steps } from "../segment/steps.ts";
import { compareStringsAt, type StringTable, stringCount } from "../segment/string-table.ts";

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
  const offsets = new Uint32Array(inputs.reduce((sum, { table }) => sum + stringCount(table), 1));
  const bytes = new Uint8Array(inputs.reduce((sum, { table }) => sum + table.bytes.length, 0));
  let length = 0;
  for (let count = 0; ; ) {
    const least = leastOf(inputs, next);
    const [first] = least;
    const table = inputs[first ?? 0]?.table;
    if (first === undefined || table === undefined)
      return { table: { offsets: offsets.slice(0, count + 1), bytes: bytes.slice(0, length) }, placeOf };
    const at = next[first] ?? 0;
    for (let i = table.offsets[at] ?? 0; i < (table.offsets[at + 1] ?? 0); i++)
      bytes[length++] = table.bytes[i] ?? 0;
    for (const i of least) {
      const input = inputs[i];
      const places = placeOf[i];
      const from = next[i] ?? 0;
      if (input === undefined || places === undefined) continue;
      places[from] = count;
      next[i] = nextKept(input, from + 1);
    }
    offsets[++count] = length;
    if (count % stepsBetweenPauses === 0) yield;
  }
}

/** The inputs whose next string is the first of all in the order. */
function leastOf(inputs: readonly TableInput[], next: readonly number[]): number[] {
  let leader: StringTable | undefined;
  let leaderAt = 0;
  let least: number[] = [];
  for (let i = 0; i < inputs.length; i++) {
    const table = inputs[i]?.table;
    const at = next[i] ?? 0;
    if (table === undefined || at >= stringCount(table)) continue;
    const order = leader === undefined ? -1 : compareStringsAt(table, at, leader, leaderAt);
    if (order < 0) {
      leader = table;
      leaderAt = at;
      least = [i];
    } else if (order === 0) least.push(i);
  }
  return least;
}

function nextKept({ table, keep }: TableInput, from: number): number {
  let index = from;
  while (index < stringCount(table) && !keep(index)) index++;
  return index;
}
