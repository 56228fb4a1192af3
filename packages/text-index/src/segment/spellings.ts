import { fold, maxWordLength } from "../text/tokenize.ts";
import { deletedDocument, type MergeInput, type Segment } from "./segment.ts";
import type { Sections } from "./segment-layout.ts";
import { tablesOf } from "./segment-tables.ts";
import type { Steps } from "./steps.ts";
import { compareCodePoints, prefixRange, type StringTable, stringAt, stringCount } from "./string-table.ts";
import { numbersOfWord } from "./term-roles.ts";

/**
 * The index knows words only folded. This table has what names write instead, in lower case: "kühltasche" for "kuhltasche" and
 * "men's" for "mens". An entry is the word, this separator and the spelling. The entry without a spelling stands for the folded
 * word itself.
 */
const separator = "\u0002";

const written = /[\p{L}\p{M}]+(?:['’ʼ][\p{L}\p{M}]+)*/gu;
const mayBeFolded = /[^\0-\x7f]|'/;
const dottedI = /i\u0307/g;
const wordsBetweenPauses = 200_000;

/** Counts the spellings in the names of a new segment. */
export class SpellingCounts {
  readonly #counts = new Map<string, number>();

  addName(name: string): void {
    if (!mayBeFolded.test(name)) return;
    for (const [run] of name.matchAll(written)) {
      if (!mayBeFolded.test(run)) continue;
      const word = fold(run).replaceAll("'", "").slice(0, maxWordLength);
      const spelling = run.normalize("NFKC").toLowerCase().replace(dottedI, "i").replace(/[’ʼ]/g, "'");
      if (spelling === word || spelling.length > maxWordLength) continue;
      this.#add(`${word}${separator}`, 0);
      this.#add(`${word}${separator}${spelling}`, 1);
    }
  }

  /** Sorted. */
  entries(): ReadonlyArray<readonly [entry: string, count: number]> {
    return [...this.#counts].sort(([a], [b]) => compareCodePoints(a, b));
  }

  #add(entry: string, count: number): void {
    this.#counts.set(entry, (this.#counts.get(entry) ?? 0) + count);
  }
}

/** Sets how often names have the folded word itself: as often as they have the word, without its other spellings. */
export function* countFoldedWords(sections: Sections): Steps<void> {
  const { spellings, words } = tablesOf(sections);
  const { spellingCounts, nameWords } = sections;
  const entries = stringCount(spellings);
  if (entries === 0) return;
  const entryOf = new Map<number, number>();
  let folded = 0;
  const others = new Float64Array(entries);
  for (let at = 0; at < entries; at++) {
    const [word, spelling] = entryAt(spellings, at);
    if (spelling !== "") others[folded] = (others[folded] ?? 0) + (spellingCounts[at] ?? 0);
    else {
      folded = at;
      spellingCounts[at] = 0;
      for (const number of numbersOfWord(words, word)) entryOf.set(number, at);
    }
  }
  const marks = new Uint8Array(stringCount(words));
  for (const number of entryOf.keys()) marks[number] = 1;
  for (let i = 0; i < nameWords.length; i++) {
    const number = nameWords[i] ?? 0;
    if (marks[number] === 1) {
      const at = entryOf.get(number) ?? 0;
      spellingCounts[at] = (spellingCounts[at] ?? 0) + 1;
    }
    if (i % wordsBetweenPauses === 0) yield;
  }
  others.forEach((count, at) => {
    if (count > 0) spellingCounts[at] = Math.max(0, (spellingCounts[at] ?? 0) - count);
  });
}

/**
 * The counts of a segment without its deleted documents. Names are not kept, so a word's spellings lose equal shares. Entries with
 * 0 are needed no more.
 */
export function* liveSpellings({ segment, deletions }: MergeInput, placeOf: Uint32Array): Steps<Uint32Array> {
  const { spellingCounts, nameOffsets, nameWords } = segment.sections;
  if (spellingCounts.length === 0 || deletions === undefined) return spellingCounts;
  const all = new Uint32Array(stringCount(segment.words));
  const live = new Uint32Array(all.length);
  for (let doc = 0; doc < segment.documents; doc++) {
    const isLive = placeOf[doc] !== deletedDocument;
    for (let at = nameOffsets[doc] ?? 0; at < (nameOffsets[doc + 1] ?? 0); at++) {
      const word = nameWords[at] ?? 0;
      all[word] = (all[word] ?? 0) + 1;
      if (isLive) live[word] = (live[word] ?? 0) + 1;
    }
    if (doc % wordsBetweenPauses === 0) yield;
  }
  return spellingCounts.map((count, at) => {
    const [word, spelling] = entryAt(segment.spellings, at);
    const numbers = numbersOfWord(segment.words, word);
    const sumOf = (counts: Uint32Array) => numbers.reduce((sum, number) => sum + (counts[number] ?? 0), 0);
    const left = sumOf(live);
    return spelling === "" ? left : Math.round((count * left) / Math.max(1, sumOf(all)));
  });
}

/** Folded words, separated by spaces, as most names of the segments write them. */
export function spelled(segments: readonly Segment[], text: string): string {
  if (segments.every(({ spellings }) => stringCount(spellings) === 0)) return text;
  return text
    .split(" ")
    .map((word) => spellingOf(segments, word))
    .join(" ");
}

function spellingOf(segments: readonly Segment[], word: string): string {
  const counts = new Map<string, number>();
  for (const segment of segments) {
    const { spellings, sections } = segment;
    const [from, to] = prefixRange(spellings, `${word}${separator}`);
    for (let at = from; at < to; at++) {
      const [, spelling] = entryAt(spellings, at);
      counts.set(spelling, (counts.get(spelling) ?? 0) + (sections.spellingCounts[at] ?? 0));
    }
    if (from === to) counts.set("", (counts.get("") ?? 0) + documentsWith(segment, word));
  }
  const [most] = [...counts].sort(([a, x], [b, y]) => y - x || compareCodePoints(b, a));
  return most?.[0] || word;
}

/** In a segment where only the folded word is written. */
function documentsWith({ sections: { wordTerms, postingOffsets }, words }: Segment, word: string): number {
  return numbersOfWord(words, word).reduce((sum, number) => {
    const term = wordTerms[number] ?? 0;
    return sum + (postingOffsets[term + 1] ?? 0) - (postingOffsets[term] ?? 0);
  }, 0);
}

function entryAt(spellings: StringTable, at: number): readonly [word: string, spelling: string] {
  const [word = "", spelling = ""] = stringAt(spellings, at).split(separator);
  return [word, spelling];
}
