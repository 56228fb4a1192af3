import { BoundedCache } from "../bounded-cache.ts";

/** A map from words to numbers in a megabyte, where a Map takes ten: open addressing, storing only the hash of a word. */
class WordTable {
  readonly #hashes: Uint32Array;
  readonly #values: Uint32Array;

  constructor(words: number) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(4, words * 2)));
    this.#hashes = new Uint32Array(slots);
    this.#values = new Uint32Array(slots);
  }

  /** Adds the bits to those of the word with this hash. */
  add(hash: number, bits: number): void {
    const slot = this.#slotOf(hash);
    this.#hashes[slot] = hash;
    this.#values[slot] = (this.#values[slot] ?? 0) | bits;
  }

  /** The bits of a word; 0 for one that was never added. */
  get(word: string): number {
    return this.#values[this.#slotOf(hashOf(word))] ?? 0;
  }

  #slotOf(hash: number): number {
    let slot = hash & (this.#hashes.length - 1);
    while (this.#hashes[slot] !== hash && this.#hashes[slot] !== 0)
      slot = (slot + 1) & (this.#hashes.length - 1);
    return slot;
  }
}

/** FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/; never 0, which means an empty slot. */
function hashOf(word: string): number {
  let hash = noLetters;
  for (let i = 0; i < word.length; i++) hash = withLetter(hash, word.charCodeAt(i));
  return hash >>> 0 || 1;
}

const noLetters = 0x811c9dc5;
const withLetter = (hash: number, letter: number): number => Math.imul(hash ^ letter, 0x01000193);

/** The words of a language, however rare in the catalog: a correct word is not treated as a misspelling of another. */
export interface Dictionary {
  has(word: string): boolean;
  /** Whether the word can name a thing. Names of people and places do not count. */
  isNoun(word: string): boolean;
}

/** The text of a dictionary in the format of Hunspell (https://github.com/hunspell/hunspell). */
export interface HunspellFiles {
  readonly aff: string;
  readonly dic: string;
}

export const noDictionary: Dictionary = { has: () => false, isNoun: () => false };

/** Reads the files on first use: most queries have no unknown word. */
export function createDictionary(read: () => HunspellFiles): Dictionary {
  let opened: HunspellDictionary | undefined;
  const open = () => {
    opened ??= new HunspellDictionary(read());
    return opened;
  };
  return { has: (word) => open().has(word), isNoun: (word) => open().isNoun(word) };
}

const filterBits = 12;
const filterHashes = 8;

/** A set of words in twelve bits each, https://en.wikipedia.org/wiki/Bloom_filter: it also has one of three hundred other words. */
export function createWordFilter(words: ReadonlySet<string>): Uint8Array {
  const filter = new Uint8Array(Math.ceil((words.size * filterBits) / 8));
  for (const word of words)
    for (const bit of bitsOf(filter, word)) filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7));
  return filter;
}

export function isInFilter(filter: Uint8Array, word: string): boolean {
  return bitsOf(filter, word).every((bit) => ((filter[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0);
}

function bitsOf({ length }: Uint8Array, word: string): number[] {
  const hash = hashOf(word);
  const step = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) | 1;
  return Array.from({ length: filterHashes }, (_, i) => ((hash + Math.imul(i, step)) >>> 0) % (length * 8));
}

/** A suffix or prefix that words with its flag can have. */
interface Affix {
  readonly flag: number;
  readonly isSuffix: boolean;
  readonly strip: string;
  readonly add: string;
  readonly condition: RegExp;
}

const rule = /^(PFX|SFX)\s+([A-Z])\s+(\S+)\s+(\S+)\s+(\S+)/;
const isWord = 1 << 30;
/** The flag of the English possessive; only nouns have it. */
const possessive = flagBit("M");
/** Of "-ed": such a form describes, even if it comes from a noun. */
const participle = flagBit("D");

class HunspellDictionary implements Dictionary {
  readonly #bases: WordTable;
  readonly #suffixes: readonly Affix[];
  readonly #prefixes: readonly Affix[];
  /** Every affix is tried on a word. */
  readonly #known = new BoundedCache<string, readonly number[]>(4_000);

  constructor({ aff, dic }: HunspellFiles) {
    const affixes = aff.split("\n").flatMap((line) => readAffix(line) ?? []);
    this.#suffixes = affixes.filter(({ isSuffix }) => isSuffix);
    this.#prefixes = affixes.filter(({ isSuffix }) => !isSuffix);
    this.#bases = readBases(dic);
  }

  has(word: string): boolean {
    return this.#basesOf(word).length > 0;
  }

  isNoun(word: string): boolean {
    return this.#basesOf(word).some((flags) => (flags & possessive) !== 0);
  }

  /** The flags of the words of which this is a form. */
  #basesOf(word: string): readonly number[] {
    return this.#known.get(word, () => this.#findBases(word));
  }

  #findBases(word: string): number[] {
    const plain = this.#withSuffixes(word);
    if (plain.length > 0) return plain;
    return this.#prefixes.flatMap((prefix) =>
      without(word, prefix).flatMap((rest) =>
        this.#withSuffixes(rest).filter((flags) => (flags & prefix.flag) !== 0),
      ),
    );
  }

  #withSuffixes(word: string): number[] {
    const found = this.#suffixes.flatMap((suffix) =>
      without(word, suffix)
        .map((base) => this.#bases.get(base))
        .filter((flags) => (flags & suffix.flag) !== 0)
        .map((flags) => (suffix.flag === participle ? flags & ~possessive : flags)),
    );
    const own = this.#bases.get(word);
    return own === 0 ? found : [own, ...found];
  }
}

const [newLine, returns, slash, apostrophe] = [0x0a, 0x0d, 0x2f, 0x27];
const smallS = 0x73;
const isCapital = (letter: number): boolean => letter >= 0x41 && letter <= 0x5a;
const isSmall = (letter: number): boolean => letter >= 0x61 && letter <= 0x7a;

/**
 * Reads 50,000 lines such as `lamp/MS` letter by letter: as strings they would take 40 ms, and a search waits for them. Of
 * words with other letters than those of ASCII none is looked up, since queries have no accents.
 */
function readBases(dic: string): WordTable {
  const start = dic.indexOf("\n") + 1;
  const table = new WordTable(Number.parseInt(dic, 10) || dic.length / 8);
  for (let at = start; at < dic.length; at++) {
    let hash = noLetters;
    let hashOfOwner = 0;
    let hasCapital = false;
    let hasSmall = false;
    const from = at;
    let letter = dic.charCodeAt(at);
    for (; at < dic.length && letter !== newLine && letter !== slash; letter = dic.charCodeAt(++at)) {
      if (letter === apostrophe) hashOfOwner = hash;
      if (letter === apostrophe || letter === returns) continue;
      hasSmall ||= isSmall(letter);
      hasCapital ||= isCapital(letter);
      hash = withLetter(hash, isCapital(letter) ? letter + 0x20 : letter);
    }
    let bits = isWord;
    const isEmpty = at === from;
    for (; at < dic.length && letter !== newLine; letter = dic.charCodeAt(++at))
      if (isCapital(letter)) bits |= 1 << (letter - 0x41);
    const isName = hasCapital && hasSmall;
    // "Rose" is a name, which takes nothing from "rose".
    if (isName) bits &= ~possessive;
    if (!isEmpty) table.add(hash >>> 0 || 1, bits);
    // Of some words the possessive is a line of its own: "horse's".
    const isPossessive = hashOfOwner !== 0 && withLetter(hashOfOwner, smallS) === hash;
    if (isPossessive && !isName) table.add(hashOfOwner >>> 0 || 1, isWord | possessive);
  }
  return table;
}

/** The word without an affix, if it can have that affix. */
function without(word: string, { isSuffix, add, strip, condition }: Affix): string[] {
  if (isSuffix ? !word.endsWith(add) : !word.startsWith(add)) return [];
  const base = isSuffix ? word.slice(0, word.length - add.length) + strip : strip + word.slice(add.length);
  return base.length > 1 && condition.test(base) ? [base] : [];
}

function readAffix(line: string): Affix | undefined {
  const [, type, flag = "", strip = "", add = "", condition = ""] = rule.exec(line) ?? [];
  // The possessive is only used as a flag: folded words have no apostrophe.
  if (type === undefined || add.includes("'")) return undefined;
  const isSuffix = type === "SFX";
  const pattern = condition === "." ? "" : condition;
  return {
    flag: flagBit(flag),
    isSuffix,
    strip: strip === "0" ? "" : strip,
    add: add === "0" ? "" : add,
    condition: new RegExp(isSuffix ? `${pattern}$` : `^${pattern}`),
  };
}

function flagBit(flag: string): number {
  const place = flag.charCodeAt(0) - 65;
  return place >= 0 && place < 26 ? 1 << place : 0;
}
