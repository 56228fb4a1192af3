import { materials } from "@product-search/core/domain/languages/languages.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { KindFinder } from "@product-search/core/ports/kind-finder.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { type Reading, unlessUsedUp } from "../reading.ts";
import { colourNames, comparable } from "./colours.ts";
import { topicWords } from "./word-lists.ts";

export interface ThingDeps {
  textSearch: TextSearch;
  catalogStore: Pick<CatalogStore, "findByRowIds">;
  /** Kinds of product by meaning. Without it, only things that the catalog names are known. */
  kindFinder?: KindFinder | undefined;
  /** Where it is recorded what of the question was left out. */
  reading?: Pick<Reading, "leftOut"> | undefined;
}

/**
 * `named`: products have this name. `mentioned`: the texts of products contain it, as those of bags contain "laptop".
 * `unknown`: no product has the word.
 */
export type ThingStatus = "named" | "mentioned" | "unknown";

/** The names of this many products show whether something is a name of a thing. */
const looked = {
  filters: { source: "catalog" },
  sort: "relevance",
  order: "desc",
  offset: 0,
  limit: 16,
  everyWord: true,
} as const;
/** If so many of the products with a word have no category, their names and texts decide. */
const leastNameless = 0.5;
export const materialNames: ReadonlySet<string> = new Set(materials.flatMap(({ en }) => en));
/** Words that describe a thing and are not one: "waterproof", "wooden". */
const adjective =
  /\p{L}{3,}(?:able|ible|proof|ful|less|ish|ous|ive|ical|resistant|free|sized|style|ing|ed)$/u;

export function isAdjective(word: string): boolean {
  return adjective.test(word) || /^(?:resistant|proof|free)$/u.test(word);
}

/** Words for properties or purposes of a thing. It is no problem if the catalog has no such thing. */
export function isTopic(word: string): boolean {
  return (
    topicWords.has(comparable(word)) ||
    colourNames.has(word) ||
    materialNames.has(word) ||
    /\d/u.test(word) ||
    adjective.test(word)
  );
}

/**
 * Whether the catalog has the thing that the noun names, judged by the names of its products. Without a search that says
 * otherwise, it has.
 */
export async function statusOfThing(
  deps: ThingDeps,
  noun: string,
  signal: AbortSignal,
): Promise<ThingStatus> {
  return unlessUsedUp(() => lookUpThing(deps, noun, signal), "named");
}

async function lookUpThing(
  { textSearch, catalogStore }: ThingDeps,
  noun: string,
  signal: AbortSignal,
): Promise<ThingStatus> {
  const hits = await textSearch.search({ ...looked, text: noun }, signal);
  if (hits.total === 0) return "unknown";
  const products = await catalogStore.findByRowIds(hits.rowIds);
  const word = comparable(hits.correctedText ?? noun);
  const usages = products.map((product) => usageOf(product, word));
  if (usages.some(({ isHead, isName }) => isHead || isName)) return "named";
  // Only a category can say that it is another thing which mentions the word.
  if (products.filter(({ category }) => category === undefined).length >= leastNameless * products.length)
    return "named";
  // Found by a synonym: no product has the word itself. Piped edges are no hose.
  if (usages.every(({ isAbsent }) => isAbsent)) return hits.sourceHas === "thing" ? "named" : "unknown";
  const compounds = new Set(usages.flatMap(({ compound }) => compound ?? []));
  return compounds.size === 1 ? "named" : "mentioned";
}

interface Usage {
  /** The word ends the name: "Desk Lamp", possibly followed by numbers. */
  isHead: boolean;
  /** It is a proper name: texts always write it in upper case. */
  isName: boolean;
  /** The noun that it describes, if one follows: "bag" in "Tote Bag". A word before many such nouns is not a thing. */
  compound?: string;
  /** The product does not have the word. */
  isAbsent: boolean;
}

/** After one of these words, the name describes the thing: "Desk Lamp with Dimmer, 2 Pack". */
const qualifier = /[,(|]| [-–—] | (?:with|for|in|by) /iu;

function usageOf({ name, brand = "", description, category = "" }: StoredProduct, word: string): Usage {
  const [start = ""] = name.split(qualifier);
  const head = wordsOf(start === "" ? name : start);
  const at = head.lastIndexOf(word);
  const following = head[at + 1];
  const isIn = (text: string): boolean => wordsOf(text).includes(word);
  const isSmall = [description, category].some(isIn);
  const isInName = isIn(name);
  const isHead = at >= 0 && (following === undefined || /\d/u.test(following));
  const isCompound = at >= 0 && at === head.length - 2;
  return {
    isHead,
    isName: isInName && !isSmall && !isHead && !isIn(brand),
    ...(isCompound && following !== undefined && { compound: following }),
    isAbsent: !isInName && !isSmall && !isIn(brand),
  };
}

function wordsOf(text: string): string[] {
  return comparable(text).split(" ");
}
