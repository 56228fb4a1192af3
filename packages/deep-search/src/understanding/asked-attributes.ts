import type { AttributeFilter, TextSearch } from "@product-search/core/ports/text-search.ts";
import { unlessUsedUp } from "../reading.ts";
import { comparable } from "./colours.ts";
import { isSizeValue } from "./read-roles.ts";

/** Sizes that are written as letters. */
const letters: ReadonlyMap<string, string> = new Map([
  ["small", "S"],
  ["medium", "M"],
  ["large", "L"],
]);

export interface AskedAttribute {
  name: string;
  values: readonly string[];
  /** Its words in the request, the name first. */
  words: readonly string[];
}

/** As many words after a name may be its value, and as many before it. */
const longest = { after: 3, before: 2 } as const;

/**
 * "Size 42", "heel height 5 cm", "leather lining" among the words, if products have this value of this attribute. Else the
 * words are searched for in texts. The thing that is searched for, `head`, names no attribute: a lamp that is LED is no
 * bicycle whose lamp is LED.
 */
export async function attributesIn(
  words: readonly string[],
  head: string | undefined,
  textSearch: Pick<TextSearch, "search" | "attributesNamedIn">,
  signal: AbortSignal,
): Promise<AskedAttribute[]> {
  if (words.length < 2) return [];
  const names = await textSearch.attributesNamedIn(words.join(" "));
  const asked: AskedAttribute[] = [];
  const used = new Set<number>();
  for (const name of names)
    for (const [from, to] of placesOf(name, words)) {
      if (head !== undefined && words.slice(from, to).includes(head)) continue;
      for (const [start, end] of placesOfValue(from, to, words.length)) {
        const places = range(Math.min(from, start), Math.max(to, end));
        if (places.some((place) => used.has(place))) continue;
        const said = words.slice(start, end);
        const value = said.join(" ");
        const isSize = comparable(name).split(" ").at(-1) === comparable("size");
        const values = isSize ? sizesCalled(value) : [value];
        if (!(await isSold({ name, values }, textSearch, signal))) continue;
        const more = isSize ? await moreSizes(name, words.slice(end), textSearch, signal) : [];
        asked.push({
          name,
          values: [...values, ...more.flatMap(sizesCalled)],
          words: [...words.slice(from, to), ...said, ...more],
        });
        for (const place of [...places, ...range(end, end + more.length)]) used.add(place);
      }
    }
  return asked;
}

function sizesCalled(value: string): string[] {
  return [value, letters.get(value) ?? []].flat();
}

/** "Size 41 or 42": the sizes right after the first one. */
async function moreSizes(
  name: string,
  words: readonly string[],
  textSearch: Pick<TextSearch, "search">,
  signal: AbortSignal,
): Promise<string[]> {
  const sizes: string[] = [];
  for (const word of words) {
    if (!isSizeValue(word)) break;
    if (!(await isSold({ name, values: sizesCalled(word) }, textSearch, signal))) break;
    sizes.push(word);
  }
  return sizes;
}

type Place = readonly [from: number, to: number];

/** Where a name stands, else its last word: "toe_shape" is "toe shape", and "size" may mean "shoe size". */
function placesOf(name: string, words: readonly string[]): Place[] {
  const parts = comparable(name).split(" ");
  const places = placesOfWords(parts, words);
  return places.length > 0 ? places : placesOfWords(parts.slice(-1), words);
}

function placesOfWords(parts: readonly string[], words: readonly string[]): Place[] {
  const wanted = parts.join(" ");
  const { length } = parts;
  return range(0, words.length - length + 1)
    .filter((from) => comparable(words.slice(from, from + length).join(" ")) === wanted)
    .map((from) => [from, from + length]);
}

/** Where the value of a name may be: after it rather than before it, and rather more words than fewer. */
function placesOfValue(from: number, to: number, end: number): Place[] {
  const after = range(to, Math.min(to + longest.after, end)).map((last): Place => [to, last + 1]);
  const before = range(Math.max(0, from - longest.before), from).map((first): Place => [first, from]);
  return [...after.toReversed(), ...before];
}

/** The numbers from the first up to the last, without it. */
function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
}

async function isSold(
  attribute: AttributeFilter,
  { search }: Pick<TextSearch, "search">,
  signal: AbortSignal,
): Promise<boolean> {
  const filters = { source: "catalog", attributes: [attribute] } as const;
  const query = { text: "", filters, sort: "relevance", offset: 0, limit: 1 } as const;
  const { total } = await unlessUsedUp(() => search(query, signal), { total: 0 });
  return total > 0;
}
