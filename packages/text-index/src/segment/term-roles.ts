import type { Language } from "../language/language.ts";
import { tokenize } from "../text/tokenize.ts";
import { gallop } from "./postings.ts";
import type { Sections } from "./segment-layout.ts";
import { type NameKind, nameKinds, type SegmentTables, tablesOf } from "./segment-tables.ts";
import type { Steps } from "./steps.ts";
import { indexOfString, lowerBound, type StringTable, stringAt, stringCount } from "./string-table.ts";

const documentsBetweenPauses = 20_000;
// Most terms are numbers and codes of few documents, so one byte is enough for their counts.
const fewDocuments = 64;
const mostOfFew = 255;

type Names = Pick<SegmentTables, NameKind | "terms">;

/** The terms whose counts take four bytes: frequent ones, and those of names that many documents may share. Ascending. */
export function frequentTerms(
  documentsOfTerm: Uint32Array,
  tables: Names,
  languages: readonly Language[],
): Uint32Array {
  const frequent = new Set<number>();
  documentsOfTerm.forEach((documents, term) => {
    if (documents >= fewDocuments) frequent.add(term);
  });
  for (const kind of nameKinds)
    for (const { term } of sharedTerms(tables, kind, languages)) frequent.add(term);
  return Uint32Array.from(frequent).sort();
}

/**
 * Counts for each term the products whose names contain it, and those in which it is the thing itself: the last word
 * of the name's head ("lamp" in "Brass Desk Lamp with Dimmer") or of the category. The weights of a query's words
 * depend on it.
 */
export function* fillTermRoles(sections: Sections, languages: readonly Language[]): Steps<void> {
  const { termNamed, termThings, frequentTerms, frequentNamed, frequentThings } = sections;
  const named = new Uint32Array(termNamed.length);
  const things = new Uint32Array(termThings.length);
  yield* countNames(sections, named, things);
  for (const kind of nameKinds) {
    countShared(sections, kind, languages, named, things);
    yield;
  }
  named.forEach((count, term) => {
    termNamed[term] = Math.min(count, mostOfFew);
    termThings[term] = Math.min(things[term] ?? 0, mostOfFew);
  });
  frequentTerms.forEach((term, i) => {
    frequentNamed[i] = named[term] ?? 0;
    frequentThings[i] = things[term] ?? 0;
  });
}

/** How many products have the term in a name; 0 for −1. */
export function timesNamed({ termNamed, frequentTerms, frequentNamed }: Sections, term: number): number {
  return countAt(term, termNamed, frequentTerms, frequentNamed);
}

/** Of how many products it names the thing. */
export function timesThing({ termThings, frequentTerms, frequentThings }: Sections, term: number): number {
  return countAt(term, termThings, frequentTerms, frequentThings);
}

function countAt(
  term: number,
  counts: Uint8Array,
  frequentTerms: Uint32Array,
  frequent: Uint32Array,
): number {
  const count = counts[term] ?? 0;
  if (count < mostOfFew) return count;
  const at = gallop(frequentTerms, 0, frequentTerms.length, term);
  return frequentTerms[at] === term ? (frequent[at] ?? 0) : count;
}

function* countNames(
  { nameOffsets, nameWords, nameHeads, wordTerms }: Sections,
  named: Uint32Array,
  things: Uint32Array,
): Steps<void> {
  for (let doc = 0; doc < nameHeads.length; doc++) {
    const start = nameOffsets[doc] ?? 0;
    const end = nameOffsets[doc + 1] ?? 0;
    for (let at = start; at < end; at++) {
      const term = wordTerms[nameWords[at] ?? 0] ?? 0;
      named[term] = (named[term] ?? 0) + 1;
    }
    const headAt = start + (nameHeads[doc] ?? 0) - 1;
    if (headAt >= start && headAt < end) {
      const term = wordTerms[nameWords[headAt] ?? 0] ?? 0;
      things[term] = (things[term] ?? 0) + 1;
    }
    if (doc % documentsBetweenPauses === 0) yield;
  }
}

function countShared(
  sections: Sections,
  kind: NameKind,
  languages: readonly Language[],
  named: Uint32Array,
  things: Uint32Array,
): void {
  const tables = tablesOf(sections);
  const documents = new Uint32Array(tables[kind].offsets.length - 1);
  for (const name of sections[kind]) documents[name] = (documents[name] ?? 0) + 1;
  for (const { name, term, isThing } of sharedTerms(tables, kind, languages)) {
    const count = documents[name] ?? 0;
    named[term] = (named[term] ?? 0) + count;
    if (isThing) things[term] = (things[term] ?? 0) + count;
  }
}

/** There are few brands, categories and stores: their words are looked up once for all their products. */
function* sharedTerms(
  tables: Names,
  kind: NameKind,
  languages: readonly Language[],
): Generator<{ name: number; term: number; isThing: boolean }> {
  for (let name = 0; name < stringCount(tables[kind]); name++) {
    const text = stringAt(tables[kind], name);
    const words = tokenize(kind === "categories" ? (text.split(">").at(-1) ?? "") : text);
    // "Shoes > Men" has no men.
    const isUse = languages.some(({ useWords }) => useWords.has(words.at(-1) ?? ""));
    for (const [i, word] of words.entries())
      for (const text of new Set(languages.map(({ termOf }) => termOf(word)))) {
        const term = indexOfString(tables.terms, text);
        if (term >= 0)
          yield { name, term, isThing: kind === "categories" && i === words.length - 1 && !isUse };
      }
  }
}

/**
 * One word may have different terms in different languages: "Hose" and "hose". In the vocabulary, a word of documents in
 * another language than the first one ends with this mark and the two letters of its language.
 */
const mark = "\u0001";
const markByte = 1;
const tagBytes = 3;

export function taggedWord(word: string, tag: string): string {
  return tag === "" ? word : `${word}${mark}${tag}`;
}

/** A word of the vocabulary as written. */
export function wordAt(words: StringTable, index: number): string {
  const text = stringAt(words, index);
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

/** The end of the bytes of a word as written. */
export function endOfWord({ offsets, bytes }: StringTable, index: number): number {
  const end = offsets[index + 1] ?? 0;
  return bytes[end - tagBytes] === markByte ? end - tagBytes : end;
}

/** The numbers of a word in all languages. */
export function numbersOfWord(words: StringTable, word: string): number[] {
  const found: number[] = [];
  // Those of other languages come right after the word itself.
  for (let at = lowerBound(words, word); at < stringCount(words) && wordAt(words, at) === word; at++)
    found.push(at);
  return found;
}

export function hasWord(words: StringTable, word: string, tag: string): boolean {
  return indexOfString(words, taggedWord(word, tag)) >= 0;
}
