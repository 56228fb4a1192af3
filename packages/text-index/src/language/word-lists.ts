/** The words of a language that play a part of their own in queries. */
export interface WordLists {
  /** Words that say how the others belong together. They rank but are not required, unless there are no others. */
  readonly functionWords: ReadonlySet<string>;
  /** What follows these says more about the thing, no longer what it is: "battery for a drill", "vanity with drawers". */
  readonly linkingWords: ReadonlySet<string>;
  /** Words that say little about what is wanted. They are given up first, and no document matches by them alone. */
  readonly lightWords: ReadonlySet<string>;
  /** Colours, materials, sizes, uses: they describe a thing, wherever they stand. */
  readonly attributeWords: ReadonlySet<string>;
  /** The terms of what shops sell, whatever the form of the word. */
  readonly thingTerms: ReadonlySet<string>;
}
