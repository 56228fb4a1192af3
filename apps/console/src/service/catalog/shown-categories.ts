import type { Client, FacetValue } from "@product-search/client";
import { foldName } from "./fold-name.ts";

/** Some more than are shown, of which a few may hold the same products. */
const spareCategories = 4;

interface ShownCategoriesOptions {
  /** The facet of categories, the largest first. */
  categories: readonly FacetValue[];
  maxCount: number;
  /** Whether the facet counts groups of variants. */
  grouped: boolean;
  signal: AbortSignal;
}

/**
 * The largest categories that tell a shopper something: without those whose name is only a number of a taxonomy, and one of
 * those that hold the same products, such as "Backpacks" and "Trail Backpacks" of products that are in both.
 */
export async function readShownCategories(
  client: Client,
  { categories, maxCount, grouped, signal }: ShownCategoriesOptions,
): Promise<FacetValue[]> {
  const named = categories.filter(({ value }) => hasLetters(value)).slice(0, maxCount + spareCategories);
  const areSame = async ([one, other]: CategoryPair) => {
    const query = { categories: [one.value, other.value], count: 1, grouped };
    return (await client.searchCatalog(query, { signal })).count === one.count;
  };
  const pairs = likelyPairs(named);
  const answers = await Promise.all(pairs.map(areSame));
  const repeated = new Set(pairs.filter((_, index) => answers[index]).map(([, longer]) => longer));
  return named.filter((category) => !repeated.has(category)).slice(0, maxCount);
}

/** The name of a category as it stands inside a sentence: "Rain Coats" is "rain coats"; "TVs" and "USB" stay. */
export function inSentence(name: string): string {
  return name.replace(/[\p{L}\p{N}]+/gu, (word) =>
    /^\p{Lu}\p{Ll}+$/u.test(word) ? word.toLowerCase() : word,
  );
}

function hasLetters(name: string): boolean {
  return /\p{L}/u.test(name);
}

type CategoryPair = readonly [shorter: FacetValue, longer: FacetValue];

/** Categories of one size of which one name contains the other: the service says whether their products are the same. */
function likelyPairs(categories: readonly FacetValue[]): CategoryPair[] {
  return categories.flatMap((longer) =>
    categories
      .filter(
        (shorter) =>
          shorter !== longer &&
          shorter.count === longer.count &&
          foldName(longer.value).includes(foldName(shorter.value)),
      )
      .map((shorter) => [shorter, longer] as const),
  );
}
