import type { Sections } from "./segment-layout.ts";
import { noWord, tablesOf, wordsPerPhrase } from "./segment-tables.ts";
import type { Steps } from "./steps.ts";
import { wordAt } from "./term-roles.ts";

/** More names than this add little: of a larger segment only every second, third, … name is read. */
const maxNames = 262_144;

/** Writes the frequent phrases of the names, source by source, most frequent first. */
export function* fillPhrases(sections: Sections): Steps<void> {
  const { phraseWords, phraseCounts, phraseSources } = sections;
  if (phraseCounts.length === 0) return;
  phraseWords.fill(noWord);
  const bySource = sampleBySource(sections);
  const share = Math.floor(phraseCounts.length / Math.max(1, bySource.size));
  let at = 0;
  for (const [source, docs] of bySource) {
    const phrases = yield* minePhrases(sections, docs);
    yield;
    for (const { words, count } of phrases.sort(byCount).slice(0, share)) {
      phraseWords.set(words, at * wordsPerPhrase);
      phraseCounts[at] = count;
      phraseSources[at++] = source;
    }
    yield;
  }
}

function sampleBySource({ sources }: Sections): Map<number, Uint32Array> {
  const step = Math.ceil(sources.length / maxNames);
  const docs = new Map<number, number[]>();
  for (let doc = 0; doc < sources.length; doc += step) {
    const source = sources[doc] ?? 0;
    const known = docs.get(source) ?? [];
    if (known.length === 0) docs.set(source, known);
    known.push(doc);
  }
  return new Map(
    Array.from(docs)
      .sort(([one], [other]) => one - other)
      .map(([source, list]) => [source, Uint32Array.from(list)]),
  );
}

/** Most frequent first; equal counts by length, longest first, then by their words. */
function byCount(a: Phrase, b: Phrase): number {
  return b.count - a.count || b.words.length - a.words.length || compareWords(a.words, b.words);
}

function compareWords(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return (a[i] ?? 0) - (b[i] ?? 0);
  return a.length - b.length;
}

// Words of letters only: numbers, units and bigrams of scripts without spaces are not written like their words.
const foldedLetters = /^[\p{L}\p{M}]{2,}$/u;

const spacelessScript =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;

// Units as the index writes them, and words that only connect others.
const joining = new Set(
  "a an and are as at be by for from in into is it its of on or that the this to with your de la le les des du el los las y con para der die das und mit für von".split(
    " ",
  ),
);

const free = -1;

/** Counts how often numbers (up to 2⁵³) occur: open addressing in typed arrays, many times faster and smaller than a Map. */
class CountTable {
  #keys = new Float64Array(1 << 12).fill(free);
  #counts = new Uint32Array(1 << 12);
  #used = 0;

  add(key: number): void {
    if (this.#used * 2 >= this.#keys.length) this.#grow();
    const slot = this.#slotOf(key);
    if (this.#keys[slot] === free) {
      this.#keys[slot] = key;
      this.#used++;
    }
    this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
  }

  /** The numbers that occurred at least this often. */
  *atLeast(least: number): Generator<[key: number, count: number]> {
    for (let slot = 0; slot < this.#keys.length; slot++) {
      const count = this.#counts[slot] ?? 0;
      if (count >= least) yield [this.#keys[slot] ?? 0, count];
    }
  }

  #slotOf(key: number): number {
    const mask = this.#keys.length - 1;
    // Mixes both halves of the number with a golden-ratio constant.
    let slot = (Math.imul(key >>> 0, 0x9e3779b1) ^ Math.imul((key / 0x1_0000_0000) >>> 0, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & mask;
    while (this.#keys[slot] !== free && this.#keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const counts = this.#counts;
    this.#keys = new Float64Array(keys.length * 2).fill(free);
    this.#counts = new Uint32Array(keys.length * 2);
    for (let old = 0; old < keys.length; old++) {
      const key = keys[old] ?? free;
      if (key === free) continue;
      const slot = this.#slotOf(key);
      this.#keys[slot] = key;
      this.#counts[slot] = counts[old] ?? 0;
    }
  }
}

/** One to three adjacent words that occur in many names, as numbers of the segment's words. */
interface Phrase {
  readonly words: readonly number[];
  /** The number of names with the phrase. */
  readonly count: number;
}

/** Only this many words of a name are read: later words rarely say what the thing is. */
const maxHeadWords = 12;
/** A phrase must be in at least this many names, and in this share of them. */
const leastNames = 2;
const namesPerPhrase = 10_000;
/** A phrase that is nearly always followed by the same word is incomplete ("stainless" of "stainless steel"). */
const unfinished = 0.8;
const namesBetweenPauses = 4_000;
const wordsBetweenPauses = 10_000;

/**
 * Finds the frequent phrases of these documents' names. A frequent phrase has frequent parts. So it counts words first, then
 * pairs of frequent words, then overlapping pairs of frequent pairs, and so on (the Apriori algorithm): rare words cost
 * nothing.
 */
function* minePhrases(sections: Sections, docs: Uint32Array): Steps<Phrase[]> {
  const least = Math.max(leastNames, Math.ceil(docs.length / namesPerPhrase));
  const levels = [yield* countWords(sections, docs, least)];
  while (levels.length < wordsPerPhrase) levels.push(yield* countLonger(sections, docs, least, levels));
  const phrases = levels.flatMap((level) => level.phrases);
  yield* countLonger(sections, docs, least, levels);
  const { words } = tablesOf(sections);
  const isWhole = ({ words: parts }: Phrase) =>
    [parts[0], parts.at(-1)].every((word) => word !== undefined && canEnd(wordAt(words, word)));
  return phrases.filter((phrase) => phrase.longer < unfinished * phrase.count && isWhole(phrase));
}

interface Counted extends Phrase {
  /** The count of the most frequent phrase that continues it by one word. */
  longer: number;
}

/** The frequent phrases of one length. */
interface Level {
  readonly phrases: readonly Counted[];
  /** The index of a phrase, from 1 on, by the indices of its two parts on the previous level; of a word, by its number. */
  readonly placeOf: Pick<ReadonlyMap<number, number>, "get">;
}

function* countWords(sections: Sections, docs: Uint32Array, least: number): Steps<Level> {
  const counts = new Uint32Array(sections.wordTerms.length);
  for (let i = 0; i < docs.length; i++) {
    const [start, end] = headOf(sections, docs[i] ?? 0);
    for (let at = start; at < end; at++) {
      const word = sections.nameWords[at] ?? 0;
      counts[word] = (counts[word] ?? 0) + 1;
    }
    if (i % namesBetweenPauses === 0) yield;
  }
  const { words } = tablesOf(sections);
  const phrases: Counted[] = [];
  const places = new Uint32Array(counts.length);
  for (let word = 0; word < counts.length; word++) {
    const count = counts[word] ?? 0;
    if (count >= least && canBePart(wordAt(words, word)))
      places[word] = phrases.push({ words: [word], count, longer: 0 });
    if (word % wordsBetweenPauses === 0) yield;
  }
  return { phrases, placeOf: { get: (word) => places[word] } };
}

/** The phrases with one word more than those of the previous level. */
function* countLonger(
  sections: Sections,
  docs: Uint32Array,
  least: number,
  levels: readonly Level[],
): Steps<Level> {
  const parts = levels.at(-1)?.phrases ?? [];
  const base = parts.length + 1;
  const table = new CountTable();
  const places = new Uint32Array(maxHeadWords);
  for (let i = 0; i < docs.length; i++) {
    const length = placesIn(sections, docs[i] ?? 0, levels, places);
    for (let at = 0; at + 1 < length; at++) {
      const [first, second] = [places[at] ?? 0, places[at + 1] ?? 0];
      if (first !== 0 && second !== 0) table.add(first * base + second);
    }
    if (i % namesBetweenPauses === 0) yield;
  }
  const phrases: Counted[] = [];
  const placeOf = new Map<number, number>();
  for (const [key, count] of table.atLeast(least)) {
    const first = parts[Math.floor(key / base) - 1];
    const second = parts[(key % base) - 1];
    if (first === undefined || second === undefined) continue;
    placeOf.set(key, phrases.push({ words: [...first.words, second.words.at(-1) ?? 0], count, longer: 0 }));
    first.longer = Math.max(first.longer, count);
  }
  yield;
  return { phrases, placeOf };
}

/** Writes the phrase of the previous level at each position of a name's head, or 0. Returns the number of positions. */
function placesIn(sections: Sections, doc: number, levels: readonly Level[], places: Uint32Array): number {
  const [start, end] = headOf(sections, doc);
  let length = end - start;
  for (let at = 0; at < length; at++)
    places[at] = levels[0]?.placeOf.get(sections.nameWords[start + at] ?? 0) ?? 0;
  for (let level = 1; level < levels.length; level++) {
    const base = (levels[level - 1]?.phrases.length ?? 0) + 1;
    const placeOf = levels[level]?.placeOf;
    length--;
    for (let at = 0; at < length; at++) {
      const [first, second] = [places[at] ?? 0, places[at + 1] ?? 0];
      places[at] = first === 0 || second === 0 ? 0 : (placeOf?.get(first * base + second) ?? 0);
    }
  }
  return Math.max(0, length);
}

/** The positions of the words that say what the thing is. */
function headOf({ nameOffsets, nameHeads }: Sections, doc: number): readonly [start: number, end: number] {
  const start = nameOffsets[doc] ?? 0;
  return [start, start + Math.min(nameHeads[doc] ?? 0, maxHeadWords)];
}

/** Whether a word may be in a phrase. */
function canBePart(word: string): boolean {
  return foldedLetters.test(word) && !spacelessScript.test(word);
}

/** Whether a word may be the first or last word of a phrase. */
function canEnd(word: string): boolean {
  return !joining.has(word);
}
