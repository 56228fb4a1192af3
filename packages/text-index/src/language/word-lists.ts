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
  /** The terms of what shops sell, whatever the form of the word. */
  readonly thingTerms: ReadonlySet<string>;
  /** The same as written: they also show in which language a text is. */
  readonly thingWords: ReadonlySet<string>;
}
