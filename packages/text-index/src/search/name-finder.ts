import { liveTotals } from "../facets/facet-plan.ts";
import { nameAt } from "../facets/frequent-values.ts";
import { attributesInUnit, numericAttribute } from "../facets/numeric-attributes.ts";
import { attributeNamesIn } from "../facets/segment-tags.ts";
import type { Languages } from "../language/language.ts";
import { waysOfText } from "../query/plan-query.ts";
import type { IndexInternals } from "../query/reading.ts";
import { postingCount } from "../segment/postings.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { compareCodePoints } from "../segment/string-table.ts";
import { tokenize } from "../text/tokenize.ts";
import { checkTime } from "../time-limit.ts";
import type { SegmentReader } from "./segment-reader.ts";
import { editDistance } from "./word-neighbours.ts";

/** The names and words of the index. Comparisons ignore case, accents and punctuation. */
export interface Vocabulary {
  /** The number of documents with the word in any form; 0 if it is unknown. Of several words, the rarest counts. */
  frequency(word: string): number;
  /** Brands that contain or resemble the text, best first. */
  findBrands(text: string, limit: number): NameMatch[];
  findCategories(text: string, limit: number): NameMatch[];
  /** Brands whose whole name occurs in the text, longest first. */
  brandsNamedIn(text: string): NameMatch[];
  /** Also by the last part of a path ("Home > Lamps"), and in any word form: "lamp" finds Lamps. */
  categoriesNamedIn(text: string): NameMatch[];
  storesNamedIn(text: string): NameMatch[];
  /** Names of attributes, folded, in any word form; also by their last word: "size" names "shoe size". */
  attributesNamedIn(text: string): string[];
  /** Of an attribute whose values are numbers in the documents of a source; empty for numbers without one. */
  numberUnit(attribute: string, source: number): string | undefined;
  /** The keys of the names of attributes that a source has, if there are at least so many. */
  manyAttributes(source: number | undefined, least: number): ReadonlySet<string> | undefined;
  /** Whether some attribute has numbers in the unit, or in another one of its dimension. */
  hasUnit(unit: string, source: number): boolean;
}

export function createVocabulary(internals: IndexInternals): Vocabulary {
  const { readers, languages, statistics } = internals;
  const finderOf = (kind: NameKind) => new NameFinder(() => countNames(readers, kind), kind, languages);
  const brands = finderOf("brands");
  const categories = finderOf("categories");
  const stores = finderOf("stores");
  // How many products have an attribute is not asked here.
  const attributes = new NameFinder(
    () => new Map(statistics.attributeNames().map((name) => [name, 1])),
    "attributes",
    languages,
  );
  const namesBySource = new Map<number | undefined, ReadonlySet<string>>();
  return {
    frequency: (word) => frequency(internals, word),
    findBrands: (text, limit) => brands.find(text, limit),
    findCategories: (text, limit) => categories.find(text, limit),
    brandsNamedIn: (text) => brands.namedIn(text),
    categoriesNamedIn: (text) => categories.namedIn(text),
    storesNamedIn: (text) => stores.namedIn(text),
    attributesNamedIn: (text) => attributes.namedIn(text).map(({ name }) => name),
    numberUnit: (attribute, source) => numericAttribute(readers, attribute, source)?.unit,
    manyAttributes(source, least) {
      // Counting by source reads all documents: only for catalogs with many names.
      if (statistics.attributeNames().length < least) return undefined;
      const names = namesBySource.get(source) ?? attributeNamesIn(readers, source);
      namesBySource.set(source, names);
      return names.size < least ? undefined : names;
    },
    hasUnit: (unit, source) => attributesInUnit(readers, unit, source).length > 0,
  };
}

function frequency({ readers, statistics, languages }: IndexInternals, text: string): number {
  const counts = waysOfText(statistics, languages, text).map((ways) =>
    readers.reduce((sum, reader) => sum + postingCount(reader.postingsOf(ways)), 0),
  );
  return counts.length === 0 ? 0 : Math.min(...counts);
}

interface NameMatch {
  readonly name: string;
  /** The number of documents with this name. */
  readonly documents: number;
}

interface Name extends NameMatch {
  /** Its words, folded, with single spaces and with none. */
  readonly spaced: string;
  readonly joined: string;
}

/** Comparing so many takes about a millisecond. */
const namesAtOnce = 1024;
const maxNamedWords = 6;
const maxReadWords = 64;

/** Finds names of live documents. Everything is computed on first use. */
class NameFinder {
  /** The names, and how many documents have each. */
  readonly #count: () => ReadonlyMap<string, number>;
  readonly #kind: NameKind | "attributes";
  readonly #termsOf: ReadonlyArray<(word: string) => string>;
  #names: readonly Name[] | undefined;
  #byKey: ReadonlyMap<string, readonly Name[]> | undefined;

  constructor(count: () => ReadonlyMap<string, number>, kind: NameKind | "attributes", languages: Languages) {
    this.#count = count;
    this.#kind = kind;
    // Brands and stores are spelt in one way, other names in every form of their words.
    const isSpelt = kind === "brands" || kind === "stores";
    this.#termsOf = isSpelt ? [(word) => word] : languages.map(({ termOf }) => termOf);
  }

  find(text: string, limit: number): NameMatch[] {
    this.#names ??= this.#collect();
    const wanted = spellings(text);
    if (wanted.joined === "") return [];
    const found = this.#names.flatMap((name, at) => {
      if (at % namesAtOnce === 0) checkTime();
      const likeness = likenessOf(wanted, name);
      return likeness > 0 ? [{ name, likeness }] : [];
    });
    found.sort(
      (a, b) =>
        b.likeness - a.likeness ||
        b.name.documents - a.name.documents ||
        compareCodePoints(a.name.name, b.name.name),
    );
    return found.slice(0, limit).map(({ name: { name, documents } }) => ({ name, documents }));
  }

  namedIn(text: string): NameMatch[] {
    this.#names ??= this.#collect();
    this.#byKey ??= keyed(this.#names, lastParts[this.#kind], this.#termsOf);
    const words = tokenize(text, "query").slice(0, maxReadWords);
    const terms = this.#termsOf.map((termOf) => words.map(termOf));
    const found = new Set<Name>();
    for (let length = Math.min(maxNamedWords, words.length); length > 0; length--) {
      for (let start = 0; start + length <= words.length; start++) {
        for (const inLanguage of terms) {
          const joined = inLanguage.slice(start, start + length).join("");
          for (const name of this.#byKey.get(joined) ?? []) found.add(name);
        }
      }
    }
    return Array.from(found, ({ name, documents }) => ({ name, documents }));
  }

  #collect(): Name[] {
    return Array.from(this.#count(), ([name, documents]) => ({ name, documents, ...spellings(name) })).filter(
      ({ joined }) => joined !== "",
    );
  }
}

/** How many live documents have each name. */
function countNames(readers: readonly SegmentReader[], kind: NameKind): Map<string, number> {
  const counts = new Map<string, number>();
  for (const reader of readers)
    liveTotals(reader, kind, undefined).forEach((count, index) => {
      if (count === 0) return;
      const name = nameAt(reader.segment, kind, index);
      counts.set(name, (counts.get(name) ?? 0) + count);
    });
  return counts;
}

/** What a text may call a name for short: a path by its last level, "shoe size" by "size". */
const lastParts: Partial<Record<NameKind | "attributes", RegExp>> = {
  categories: />/u,
  attributes: /[\s_-]+/u,
};

/** The forms under which a text may name them: also by the part after the last `separator`. */
function keyed(
  names: readonly Name[],
  separator: RegExp | undefined,
  termsOf: ReadonlyArray<(word: string) => string>,
): Map<string, Name[]> {
  const byKey = new Map<string, Name[]>();
  for (const name of names) {
    const forms =
      separator === undefined ? [name.name] : [name.name, name.name.split(separator).at(-1) ?? ""];
    const keys = forms.flatMap((form) => {
      const words = tokenize(form, "query");
      return termsOf.map((termOf) => words.map(termOf).join(""));
    });
    for (const key of new Set(keys)) {
      byKey.set(key, [...(byKey.get(key) ?? []), name]);
    }
  }
  byKey.delete("");
  return byKey;
}

function spellings(text: string): { spaced: string; joined: string } {
  const words = tokenize(text, "query");
  return { spaced: words.join(" "), joined: words.join("") };
}

/**
 * 0 for "not similar". Best: the same name, then a name with this prefix, a word with it, a name containing it, a
 * similar name.
 */
function likenessOf(typed: { spaced: string; joined: string }, { spaced, joined }: Name): number {
  const share = Math.min(typed.joined.length, joined.length) / Math.max(typed.joined.length, joined.length);
  if (joined === typed.joined) return 10;
  if (spaced.startsWith(typed.spaced)) return 8 + share;
  if (` ${spaced}`.includes(` ${typed.spaced}`)) return 6 + share;
  if (joined.includes(typed.joined)) return 4 + share;
  if (joined.length >= 3 && ` ${typed.spaced} `.includes(` ${spaced} `)) return 3 + share;
  const limit = typed.joined.length < 4 ? 0 : typed.joined.length < 7 ? 1 : 2;
  const distance = editDistance(typed.joined, joined, limit);
  if (distance <= limit) return limit === 0 ? 0 : 2 + share - distance / 3;
  const close = spaced.split(" ").some((word) => limit > 0 && editDistance(typed.joined, word, 1) <= 1);
  return close ? 1 + share : 0;
}
