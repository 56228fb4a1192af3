import { foldedWords, withEndings } from "./inflect.ts";

/** The words of a language that have a special role in queries. */
export interface WordLists {
  /** Words that connect others. They affect the rank but are not required, unless there are no other words. */
  readonly functionWords: ReadonlySet<string>;
  /** The words after these describe the thing: "battery for a drill", "vanity with drawers". */
  readonly linkingWords: ReadonlySet<string>;
  /** Words that say little about the thing. They are dropped first, and no document matches only by them. */
  readonly lightWords: ReadonlySet<string>;
  /** Colours, materials, sizes, uses: they describe a thing, wherever they are in the query. */
  readonly attributeWords: ReadonlySet<string>;
  /** Those of them that say where, when and by whom a thing is used: "kitchen", "travel", "men". */
  readonly useWords: ReadonlySet<string>;
  /** Those of them that make another thing of the one beside them: "dog" in "dog bed". */
  readonly definingWords: ReadonlySet<string>;
  /** Words that make a property of the noun before them: "free" in "sugar free". */
  readonly propertyEnds: ReadonlySet<string>;
  /** The terms of what shops sell, whatever the form of the word. */
  readonly thingTerms: ReadonlySet<string>;
  /** The same as written: they also show in which language a text is. */
  readonly thingWords: ReadonlySet<string>;
}

/** A line of words, or lines of words that have each of the endings of that name. */
type Entry = string | { endings: string; words: readonly string[] };

/** The file of a language. */
export interface WordFile {
  endings: Readonly<Record<string, readonly string[] | undefined>>;
  functionWords: readonly Entry[];
  linkingWords: readonly Entry[];
  lightWords: readonly Entry[];
  colours: readonly Entry[];
  materials: readonly Entry[];
  shapes: readonly Entry[];
  people: readonly Entry[];
  animals: readonly Entry[];
  places: readonly Entry[];
  things: readonly Entry[];
  propertyEnds?: readonly Entry[];
  /**
   * Words on one line are synonyms of each other. A word before an arrow is narrower or looser: it also finds the words
   * after the arrow, but not the other way round. The format is that of `pnpm api synonyms import`.
   */
  synonyms: readonly string[];
  /** In the same format: what a shop has instead of a thing that none of its names has. */
  nearSynonyms: readonly string[];
}

export function createWordLists(file: WordFile, termOf: (word: string) => string): WordLists {
  const words = (...lists: readonly (readonly Entry[])[]): Set<string> =>
    new Set(
      lists.flat().flatMap((entry) => {
        if (typeof entry === "string") return foldedWords(entry);
        return withEndings(entry.words.join(" "), file.endings[entry.endings] ?? []);
      }),
    );
  const { colours, materials, shapes, people, animals, places } = file;
  const thingWords = words(file.things);
  return {
    functionWords: words(file.functionWords),
    linkingWords: words(file.linkingWords),
    lightWords: words(file.lightWords),
    attributeWords: words(colours, materials, shapes, people, animals, places),
    useWords: words(people, places),
    definingWords: words(animals),
    propertyEnds: words(file.propertyEnds ?? []),
    thingTerms: new Set(Array.from(thingWords, termOf)),
    thingWords,
  };
}
