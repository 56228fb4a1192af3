import type { TextTable } from "../facets/frequent-values.ts";
import type { Variants } from "../facets/name-variants.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import { indexOfCoded, unpackStrings } from "../segment/front-coding.ts";
import type { Segment } from "../segment/segment.ts";
import { stringAt } from "../segment/string-table.ts";

/** One number for each text over several tables, so that members of a group in different segments are counted together. */
export interface JoinedNumbers {
  /** For each table, the joined numbers of its texts, from `from` on. Undefined for the first, which keeps its numbers. */
  readonly maps: ReadonlyArray<Uint32Array | undefined>;
  /** All numbers are below it. */
  readonly total: number;
  textOf(number: number): string;
  /** Numbers of texts that differ only in case and accents, in the order of their texts. */
  readonly variants: Variants["sets"];
}

/** `compare`: the order of variants. */
export function joinNumbers(
  tables: readonly TextTable[],
  first: Variants,
  compare: (one: string, other: string) => number,
): JoinedNumbers {
  const [table] = tables;
  const texts = joinTexts(tables);
  const { from = 0, to = 0 } = table ?? {};
  const byKey = new Map<string, number[]>();
  for (let number = to; number < texts.total; number++) {
    const key = table?.keyOf(texts.textOf(number)) ?? "";
    const inFirst = table?.numbersOf(key).filter((one) => from <= one && one < to) ?? [];
    byKey.set(key, [...(byKey.get(key) ?? inFirst), number]);
  }
  const further = [...byKey.values()].filter(({ length }) => length > 1);
  const joined = new Set(further.flat());
  return {
    ...texts,
    variants: [
      ...first.sets.filter(([one]) => one === undefined || !joined.has(one)),
      ...further.map((numbers) => numbers.sort((a, b) => compare(texts.textOf(a), texts.textOf(b)) || a - b)),
    ],
  };
}

function joinTexts(tables: readonly TextTable[]): Omit<JoinedNumbers, "variants"> {
  const [first] = tables;
  const further = new Map<string, number>();
  const furtherTexts: string[] = [];
  const end = first?.to ?? 0;
  const maps = tables.map((table) => {
    if (table === first) return undefined;
    const map = new Uint32Array(table.to - table.from);
    for (let number = table.from; number < table.to; number++) {
      const text = table.textOf(number);
      const known = first?.numberOf(text) ?? -1;
      const joined = known >= (first?.from ?? 0) ? known : (further.get(text) ?? end + further.size);
      if (joined === end + further.size) {
        further.set(text, joined);
        furtherTexts.push(text);
      }
      map[number - table.from] = joined;
    }
    return map;
  });
  return {
    maps,
    total: end + further.size,
    textOf: (number) => (number < end ? first?.textOf(number) : furtherTexts[number - end]) ?? "",
  };
}

/** The groups of the documents of several segments. */
export interface GroupNumbers {
  /** For each segment, the numbers of its groups over all segments. Undefined if they are the same. */
  readonly maps: ReadonlyArray<Uint32Array | undefined>;
  readonly total: number;
}

const numbersOf = new WeakMap<readonly SegmentReader[], GroupNumbers>();

export function groupNumbers(readers: readonly SegmentReader[]): GroupNumbers {
  const known = numbersOf.get(readers) ?? joinGroups(readers);
  numbersOf.set(readers, known);
  return known;
}

/** Documents that are alone get a number of their own in every segment. */
function joinGroups(readers: readonly SegmentReader[]): GroupNumbers {
  const [first, ...others] = readers.map(({ segment }) => segment);
  if (first === undefined) return { maps: [], total: 0 };
  let total = numbersIn(first);
  const further = new Map<string, number>();
  const maps = others.map((segment) => {
    const map = new Uint32Array(numbersIn(segment));
    const names = unpackStrings(segment.groups);
    for (let number = 0; number < map.length; number++) {
      const group = number < segment.groups.count ? stringAt(names, number) : undefined;
      const inFirst = group === undefined ? -1 : indexOfCoded(first.groups, group);
      const joined = inFirst >= 0 ? inFirst : group === undefined ? undefined : further.get(group);
      map[number] = joined ?? total;
      if (joined !== undefined) continue;
      if (group !== undefined) further.set(group, total);
      total++;
    }
    return map;
  });
  return { maps: [undefined, ...maps], total };
}

const countsOfNumbers = new WeakMap<Segment, number>();

/** Groups, and documents that are alone. */
function numbersIn(segment: Segment): number {
  const known = countsOfNumbers.get(segment);
  if (known !== undefined) return known;
  const { groupNumbers: column } = segment.sections;
  let end = segment.groups.count;
  for (let doc = 0; doc < column.length; doc++) end = Math.max(end, (column[doc] ?? 0) + 1);
  countsOfNumbers.set(segment, end);
  return end;
}
