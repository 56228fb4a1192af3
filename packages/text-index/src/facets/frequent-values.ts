import type { FacetValue } from "../search/search-query.ts";
import { compareCodePoints } from "../segment/string-table.ts";
import { tokenize } from "../text/tokenize.ts";

/** Texts by their number, from `from` to `to`, exclusive. No text is there twice. */
export interface TextTable {
  readonly from: number;
  readonly to: number;
  textOf(number: number): string;
  /** Less than `from` if the text is not there. */
  numberOf(text: string): number;
}

/** A table with the number of documents for each of its texts. */
export interface Tally {
  readonly table: TextTable;
  /** By the number of the text. */
  readonly counts: Uint32Array;
}

/**
 * The `limit` most frequent texts over all tallies, equal counts by text. Empty texts are left out. Only the returned texts and
 * those of further tallies are decoded, because there may be thousands; with `keeps`, all that occur.
 */
export function frequentValues(
  [first, ...others]: readonly Tally[],
  limit: number,
  keeps?: (text: string) => boolean,
): FacetValue[] {
  if (first === undefined || limit === 0) return [];
  const further = new Map<string, number>();
  const sums = others.length === 0 ? first.counts : first.counts.slice();
  for (const { table, counts } of others) {
    for (let number = table.from; number < table.to; number++) {
      const documents = counts[number] ?? 0;
      if (documents === 0) continue;
      const text = table.textOf(number);
      const place = first.table.numberOf(text);
      if (place < first.table.from) further.set(text, (further.get(text) ?? 0) + documents);
      else sums[place] = (sums[place] ?? 0) + documents;
    }
  }
  const { from, to } = first.table;
  const most = keeps === undefined ? limit + 1 : to - from;
  const values = maxFrequent(sums, from, to, most).map((number) => ({
    value: first.table.textOf(number),
    count: sums[number] ?? 0,
  }));
  for (const [value, count] of further) values.push({ value, count });
  values.sort((a, b) => b.count - a.count || compareCodePoints(a.value, b.value));
  return values.filter(({ value }) => value !== "" && (keeps?.(value) ?? true)).slice(0, limit);
}

/** The numbers of the largest counts, largest first; equal counts by number. */
function maxFrequent(counts: Uint32Array, from: number, to: number, limit: number): number[] {
  const best: number[] = [];
  if (limit >= to - from) {
    for (let number = from; number < to; number++) if (counts[number] !== 0) best.push(number);
    return best.sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0) || a - b);
  }
  let floor = 0;
  for (let number = from; number < to; number++) {
    const count = counts[number] ?? 0;
    if (count <= floor) continue;
    let at = best.length;
    while (at > 0 && (counts[best[at - 1] ?? 0] ?? 0) < count) at--;
    best.splice(at, 0, number);
    if (best.length > limit) best.pop();
    if (best.length === limit) floor = counts[best.at(-1) ?? 0] ?? 0;
  }
  return best;
}

/** Whether a word of a text begins with what was typed; several typed words must be there one after the other. */
export function beginsWord(typed: string): (text: string) => boolean {
  const wanted = tokenize(typed, "query").join(" ");
  return (text) => {
    const words = tokenize(text, "query");
    return wanted === "" || words.some((_, from) => words.slice(from).join(" ").startsWith(wanted));
  };
}
