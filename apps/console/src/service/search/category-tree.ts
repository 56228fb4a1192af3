import type { Client, FacetValue } from "@product-search/client";

/** A category with those below it. */
export interface CategoryNode {
  /** As the service takes it for a filter: all names from the top, such as `Home > Lamps`. */
  path: string;
  name: string;
  count: number;
  children: CategoryNode[];
}

const separator = " > ";

/** The last name of a path, or the name itself. */
export function categoryName(path: string): string {
  return path.split(separator).at(-1) ?? path;
}

export function toCategoryPath(names: readonly string[]): string {
  return names.join(separator);
}

/** The tree of the paths that the service counts. A path whose parent is not among them stands at the top. */
export function categoryTree(paths: readonly FacetValue[]): CategoryNode[] {
  const nodes = new Map<string, CategoryNode>();
  for (const { value, count } of paths) {
    // The service counts each spelling by itself; a filter means all of them.
    const former = nodes.get(foldName(value));
    nodes.set(foldName(value), {
      path: former?.path ?? value,
      name: former?.name ?? categoryName(value),
      count: count + (former?.count ?? 0),
      children: [],
    });
  }
  const roots: CategoryNode[] = [];
  for (const [key, node] of nodes) {
    const parent = nodes.get(key.slice(0, Math.max(0, key.lastIndexOf(separator))));
    (parent?.children ?? roots).push(node);
  }
  return roots;
}

/** A filter is a whole path, or a name at any level. */
export function isCategoryChosen({ path, name }: CategoryNode, chosen: readonly string[]): boolean {
  return chosen.some((one) => foldName(one) === foldName(path) || foldName(one) === foldName(name));
}

/** Whether a category is chosen somewhere below. */
export function hasChosenBelow(node: CategoryNode, chosen: readonly string[]): boolean {
  return node.children.some((child) => isCategoryChosen(child, chosen) || hasChosenBelow(child, chosen));
}

/** Choosing a category replaces those above and below it: it is a part of the ones, and includes the others. */
export function toggleCategory(node: CategoryNode, chosen: readonly string[]): string[] {
  const [path, name] = [foldName(node.path), foldName(node.name)];
  const others = chosen.filter((one) => foldName(one) !== path && foldName(one) !== name);
  if (others.length < chosen.length) return others;
  const isRelated = (one: string) =>
    path.startsWith(`${foldName(one)}${separator}`) || foldName(one).startsWith(`${path}${separator}`);
  return [...others.filter((one) => !isRelated(one)), node.path];
}

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

/** Names compare without case and accents, as in the service. */
export function foldName(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
