import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { Roles } from "./read-roles.ts";
import { comparable } from "./same-word.ts";
import { isNamed, type ThingDeps } from "./things.ts";
import { type Purpose, purposes } from "./word-lists.ts";

/** Things that exist in the catalog. */
export interface Kinds {
  categories: readonly string[];
  /** Names of things without a category. A product must have one of them in its name. */
  nouns: readonly string[];
}

/** Things that serve a purpose, and the words of the request for it. */
export interface KindsForPurpose extends Kinds {
  said: readonly string[];
}

/** "Something to sit on": everyday things for this activity that the catalog has. */
export async function kindsForPurpose(
  deps: ThingDeps,
  { verbs, purpose, features }: Roles,
  signal: AbortSignal,
): Promise<KindsForPurpose | undefined> {
  const words = new Set([...purpose, ...features].map(verbStem));
  const doing = new Set(verbs.map(verbStem));
  const serves = (entry: Purpose): boolean =>
    (doing.has(verbStem(entry.verbs[0] ?? "")) || entry.isTopic === true) &&
    entry.verbs.every((verb) => words.has(verbStem(verb)));
  const entry = purposes.filter(serves).toSorted((a, b) => b.verbs.length - a.verbs.length)[0];
  if (entry === undefined || (entry.isTopic && (await isMentioned(entry.verbs, deps)))) return undefined;
  const found = await kindsInCatalog(deps, entry.kinds, signal);
  const said = [...purpose, ...features].filter((word) =>
    entry.verbs.some((verb) => verbStem(verb) === verbStem(word)),
  );
  return found && { ...found, said };
}

async function isMentioned(words: readonly string[], { textSearch }: ThingDeps): Promise<boolean> {
  const frequencies = await Promise.all(words.map((word) => textSearch.wordFrequency(word)));
  return frequencies.some((frequency) => frequency > 0);
}

/** The things that exist in the catalog: as categories, or else as names of products. */
export async function kindsInCatalog(
  deps: ThingDeps,
  kinds: readonly string[],
  signal: AbortSignal,
): Promise<Kinds | undefined> {
  const categories: string[] = [];
  const nouns: string[] = [];
  for (const kind of kinds) {
    const [category] = await categoriesCalled(kind, deps.textSearch);
    if (category !== undefined) categories.push(category);
    else if (await isNamed(deps, kind, signal)) nouns.push(kind);
  }
  if (categories.length > 0) return { categories: [...new Set(categories)], nouns: [] };
  return nouns.length > 0 ? { categories, nouns } : undefined;
}

async function categoriesCalled(
  kind: string,
  { categoriesNamedIn }: Pick<TextSearch, "categoriesNamedIn">,
): Promise<string[]> {
  const names = await categoriesNamedIn(kind);
  return names.filter((name) => lastStep(name) === comparable(kind));
}

/** The name of a category without its path: "Lamps" of "Home > Lamps". */
export function lastStep(category: string): string {
  return comparable(category.split(">").at(-1) ?? category);
}

/** "sitting", "sits" → "sit". */
function verbStem(word: string): string {
  return comparable(word)
    .replace(/ing$/u, "")
    .replace(/([^aeiou])\1$/u, "$1");
}
