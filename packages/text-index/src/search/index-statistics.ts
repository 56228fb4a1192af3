import { BoundedCache } from "../bounded-cache.ts";
import { nameAt } from "../facets/frequent-values.ts";
import { attributesIn, levelRange, tagValue } from "../facets/segment-tags.ts";
import type { Adjacency, SimilarWord, WordStatistics } from "../query/query-plan.ts";
import { eachDoc } from "../segment/packed-postings.ts";
import { PostingsCursor, postingCount } from "../segment/postings.ts";
import type { Segment } from "../segment/segment.ts";
import { prefixRange, stringAt, stringCount } from "../segment/string-table.ts";
import { pathSeparator } from "../segment/tags.ts";
import { hasWord, numbersOfWord, timesNamed, timesThing } from "../segment/term-roles.ts";
import { levelMark, nameKey, tokenize } from "../text/tokenize.ts";
import type { SegmentReader } from "./segment-reader.ts";

const namesLookedAt = 50;
/** Most texts that are read end with one of a few thousand words. */
const cachedBeginnings = 4_000;

/** Word statistics for reading queries, from the segments of an index. */
export function createIndexStatistics(readers: readonly SegmentReader[]): WordStatistics {
  // Each word of each query is counted, so these are loops without closures.
  const documentsWith = (term: string) => {
    let count = 0;
    for (const reader of readers) count += reader.documentsWithTerm(term);
    return count;
  };
  const times = (countIn: typeof timesNamed) => (term: string) => {
    let count = 0;
    for (const reader of readers) count += countIn(reader.segment.sections, reader.idOf(term));
    return count;
  };
  const begun = new BoundedCache<string, boolean>(cachedBeginnings);
  const extended = new BoundedCache<string, boolean>(cachedBeginnings);
  return {
    documents: readers.reduce((sum, { liveDocuments }) => sum + liveDocuments, 0),
    documentsWith,
    timesNamed: times(timesNamed),
    timesThing: times(timesThing),
    beginsWords: (prefix, most) => begun.get(`${most} ${prefix}`, () => beginsWords(readers, prefix, most)),
    prefixAddsTerms: (prefix, term) =>
      extended.get(`${prefix} ${term}`, () =>
        readers.some((reader) => {
          const own = { term, weight: 1 };
          return reader.termsOf([own, { prefix, weight: 1 }]).size > reader.termsOf([own]).size;
        }),
      ),
    similarWords: (word, distance, documents) => similarWords(readers, word, distance, documents),
    termsEndingWith: (term) => [...new Set(readers.flatMap((reader) => reader.termsEndingWith(term)))],
    termsBeginningWith: (term) => [...new Set(readers.flatMap((reader) => reader.termsBeginningWith(term)))],
    wordsEndingWith: (ending) => [...new Set(readers.flatMap((reader) => reader.wordsEndingWith(ending)))],
    hasForm: (word, tag) => readers.some(({ segment }) => hasWord(segment.words, word, tag)),
    onlyDescribes: (term) => readers.every((reader) => onlyDescribes(reader, reader.idOf(term))),
    namesLevel: (term) => readers.some((reader) => levelTerms(reader.segment).has(reader.idOf(term))),
    longestLevel: (first) => {
      let longest = 0;
      for (const { segment } of readers) longest = Math.max(longest, longestLevels(segment).get(first) ?? 0);
      return longest;
    },
    isOfBrand: (term) => readers.some((reader) => brandTerms(reader.segment).has(reader.idOf(term))),
    attributeNames: () => [
      ...new Set(readers.flatMap(({ segment }) => attributesIn(segment).map(({ name }) => nameKey(name)))),
    ],
    isInValues: (attribute, word) =>
      readers.some(({ segment }) => wordsOfValues(segment, attribute).has(word)),
    adjacency: (left, right) => adjacency(readers, left, right),
  };
}

const levelsBySegment = new WeakMap<Segment, ReadonlySet<number>>();

/** The numbers of the terms with which names of levels end. A segment never changes, so they are read once. */
function levelTerms(segment: Segment): ReadonlySet<number> {
  const known = levelsBySegment.get(segment);
  if (known !== undefined) return known;
  const [from, to] = levelRange(segment);
  const words = new Set<string>();
  for (let tag = from; tag < to; tag++)
    words.add(tokenize(tagValue(segment, tag).split(pathSeparator).at(-1) ?? "").at(-1) ?? "");
  const found = new Set(
    [...words]
      .flatMap((word) => numbersOfWord(segment.words, word))
      .map((number) => segment.sections.wordTerms[number] ?? 0),
  );
  levelsBySegment.set(segment, found);
  return found;
}

const longestBySegment = new WeakMap<Segment, ReadonlyMap<string, number>>();

/** By their first term, the most words in names of levels. A segment never changes, so they are read once. */
function longestLevels(segment: Segment): ReadonlyMap<string, number> {
  const known = longestBySegment.get(segment);
  if (known !== undefined) return known;
  const longest = new Map<string, number>();
  const [from, to] = prefixRange(segment.terms, levelMark);
  for (let term = from; term < to; term++) {
    const words = stringAt(segment.terms, term).slice(levelMark.length).split(" ");
    const [first = ""] = words;
    longest.set(first, Math.max(longest.get(first) ?? 0, words.length));
  }
  longestBySegment.set(segment, longest);
  return longest;
}

const brandTermsBySegment = new WeakMap<Segment, ReadonlySet<number>>();

/** The numbers of the terms of all names of brands. A segment never changes, so they are read once. */
function brandTerms(segment: Segment): ReadonlySet<number> {
  const known = brandTermsBySegment.get(segment);
  if (known !== undefined) return known;
  const terms = new Set<number>();
  for (let brand = 0; brand < stringCount(segment.brands); brand++)
    for (const word of tokenize(nameAt(segment, "brands", brand)))
      for (const number of numbersOfWord(segment.words, word))
        terms.add(segment.sections.wordTerms[number] ?? 0);
  brandTermsBySegment.set(segment, terms);
  return terms;
}

/** Of the values of an attribute with more different ones, such as dimensions, only some are read. */
const valuesRead = 500;
const wordsBySegment = new WeakMap<Segment, Map<string, ReadonlySet<string>>>();

/** The words of the values of an attribute. A segment never changes, so they are read once. */
function wordsOfValues(segment: Segment, attribute: string): ReadonlySet<string> {
  const words = wordsBySegment.get(segment) ?? new Map<string, ReadonlySet<string>>();
  wordsBySegment.set(segment, words);
  const known = words.get(attribute);
  if (known !== undefined) return known;
  const read = attributesIn(segment)
    .filter(({ name }) => nameKey(name) === attribute)
    .flatMap(({ from, to }) => Array.from({ length: Math.min(to - from, valuesRead) }, (_, i) => from + i))
    .flatMap((tag) => tokenize(tagValue(segment, tag)));
  const found = new Set(read);
  words.set(attribute, found);
  return found;
}

function adjacency(readers: readonly SegmentReader[], left: string, right: string): Adjacency {
  const counts = readers.map((reader) => adjacencyIn(reader, left, right));
  const sum = (of: keyof Adjacency) => counts.reduce((total, count) => total + count[of], 0);
  return { names: sum("names"), adjacent: sum("adjacent") };
}

/** Words that several segments have are counted once, so that the segments make no difference. */
function beginsWords(readers: readonly SegmentReader[], prefix: string, most: number): boolean {
  const lists = readers.map((reader) => reader.wordsBeginningWith(prefix));
  const counts = lists.map(([from, to]) => to - from);
  const sum = counts.reduce((total, count) => total + count, 0);
  if (sum <= most) return sum > 0;
  if (Math.max(...counts) > most) return false;
  const words = new Set<string>();
  readers.forEach(({ segment }, i) => {
    const [from, to] = lists[i] ?? [0, 0];
    for (let word = from; word < to && words.size <= most; word++) words.add(stringAt(segment.words, word));
  });
  return words.size <= most;
}

// A word counts as a thing if this many names, and this share of its names, use it for the thing.
const minThings = 5;
const minShare = 0.05;
const letter = /\p{L}/u;

/** Checks the names of the first documents. Documents with the term in another field say nothing. */
function onlyDescribes(reader: SegmentReader, term: number): boolean {
  if (term < 0) return true;
  let looked = 0;
  for (const doc of eachDoc(reader.segment.sections, term)) {
    if (mayBeThing(reader, doc, term)) return false;
    if (++looked === namesLookedAt) break;
  }
  return true;
}

/**
 * True if no word after the term, in the part of the name that says what the product is, could be the thing instead.
 */
function mayBeThing({ segment: { sections, terms } }: SegmentReader, doc: number, term: number): boolean {
  const { nameOffsets, nameWords, nameHeads, wordTerms } = sections;
  const start = nameOffsets[doc] ?? 0;
  const head = nameWords.subarray(start, start + (nameHeads[doc] ?? 0));
  const headTerms = Array.from(head, (word) => wordTerms[word] ?? 0);
  const place = headTerms.lastIndexOf(term);
  if (place < 0) return false;
  return !headTerms.slice(place + 1).some((other) => {
    const things = timesThing(sections, other);
    if (things < minThings || things < minShare * timesNamed(sections, other)) return false;
    // Many names end with the number of a model or of pieces, which is no thing.
    return letter.test(stringAt(terms, other));
  });
}

function similarWords(
  readers: readonly SegmentReader[],
  word: string,
  distance: number,
  documents = 1,
): SimilarWord[] {
  const found = new Map<string, SimilarWord>();
  // If so many documents have a word, at least one segment has its share of them.
  const share = Math.ceil(documents / Math.max(1, readers.length));
  for (const reader of readers)
    for (const similar of reader.state.neighbours.find(word, distance, share))
      found.set(similar.word, similar);
  return [...found.values()];
}

/** Counts in the names of the first documents that have both. A segment never changes, so neither do its counts. */
function adjacencyIn(reader: SegmentReader, left: string, right: string): Adjacency {
  return reader.state.sideBySide.get(`${left} ${right}`, () => {
    const leftId = reader.idOf(left);
    const rightId = reader.idOf(right);
    if (leftId < 0 || rightId < 0) return { names: 0, adjacent: 0 };
    const found = firstWithBoth(reader, leftId, rightId).map((doc) => isPairIn(reader, doc, leftId, rightId));
    return {
      names: found.filter((isPair) => isPair !== undefined).length,
      adjacent: found.filter((isPair) => isPair).length,
    };
  });
}

function firstWithBoth(reader: SegmentReader, one: number, other: number): number[] {
  const [shorter, longer] = [reader.postingsOfTerm(one), reader.postingsOfTerm(other)].toSorted(
    (a, b) => postingCount(a) - postingCount(b),
  );
  const docs: number[] = [];
  if (shorter === undefined || longer === undefined) return docs;
  const cursor = new PostingsCursor(longer);
  for (const doc of shorter.docs) {
    if (docs.length === namesLookedAt) break;
    if (cursor.impactOn(doc) > 0) docs.push(doc);
  }
  return docs;
}

/** Whether the terms are adjacent in the name; undefined if it does not have both. */
function isPairIn({ segment }: SegmentReader, doc: number, left: number, right: number): boolean | undefined {
  const { nameOffsets, nameWords, wordTerms } = segment.sections;
  const end = nameOffsets[doc + 1] ?? 0;
  let [hasLeft, hasRight] = [false, false];
  let previous: number | undefined;
  for (let at = nameOffsets[doc] ?? 0; at < end; at++) {
    const term = wordTerms[nameWords[at] ?? 0];
    if (previous === left && term === right) return true;
    hasLeft ||= term === left;
    hasRight ||= term === right;
    previous = term;
  }
  return hasLeft && hasRight ? false : undefined;
}
