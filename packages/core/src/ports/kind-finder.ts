import type { KindFilter } from "./text-search.ts";

/** A kind of product in the catalog. */
export interface NamedKind extends KindFilter {
  /** "Desk Lamp", or the name of a category. */
  name: string;
}

export interface MeantKinds {
  /** Best first; at least one. */
  kinds: readonly NamedKind[];
  /** Those of them that fit all words of the text. */
  closest: readonly NamedKind[];
  /** Words of the text that the kinds do not stand for. */
  otherWords: readonly string[];
  /** The text names what stands above the kinds: furniture. */
  isUmbrella: boolean;
  /** The kinds are called what the text names: those of "warm jacket" are jackets. */
  isNamed?: boolean;
  /** Words of the text that the kinds stand for: their products need not have them. */
  meantWords: readonly string[];
}

/** What a text names first: the jacket of "warm jacket for storms". */
export interface NamedThing {
  words: readonly string[];
  /** The other words of the text that have a meaning. */
  describing: readonly string[];
}

export interface ScoredKind {
  kind: NamedKind;
  /** How near the text is to the kind, between −1 and 1. */
  score: number;
}

/** Finds the kinds of product that a text means, by learned meaning: "something to sit on" means chairs and sofas. */
export interface KindFinder {
  /** Undefined if the catalog has no such kind, or if its kinds are not known yet. */
  kindsMeant(text: string): MeantKinds | undefined;
  /** The kinds nearest to a text, best first, however far they are. Levels above other categories are left out. */
  kindsNear(text: string, limit: number): readonly ScoredKind[];
  /** Undefined if the text begins with no name of a thing. */
  namedThing(text: string): NamedThing | undefined;
  /** Whether the text is the name of one sort of things: a sleeping bag is not a bag for sleeping. */
  isFixedName(text: string): boolean;
}
