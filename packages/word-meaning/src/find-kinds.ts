import { type CatalogKind, tellingWords } from "./kinds.ts";
import type { WordMeaning } from "./word-meaning.ts";
import { functionWords, wordsOf } from "./words.ts";

/** The texts of a product from which the kinds of a catalog are found. */
export interface ProductTexts {
  readonly name: string;
  readonly brand: string;
  readonly category: string;
  /** Names of the levels above the category, top first. */
  readonly path: readonly string[];
  readonly description: string;
  /** Products with the same one are variants of one thing. */
  readonly group?: string;
}

/** What follows is about the thing: its colour, its use, its parts. */
const qualifier = /[,;:(–]|\s-\s|\s(?:with|for|in|of|and|by|from|without)\s/i;
const maxWords = 3;
const numberWords = new Set(
  "one two three four five six seven eight nine ten ii iii iv vi vii viii ix".split(" "),
);
/** A name that fewer things share is rather the name of a model. */
const leastProducts = 3;
/** Descriptions of a few products tell what a kind is for. */
const maxDescriptions = 40;

/** The products of a kind while kinds are collected. */
interface Group {
  readonly name: string;
  readonly category: string;
  readonly path: readonly string[];
  products: number;
  readonly descriptions: string[];
}

/**
 * The kinds of a catalog: its categories, and the names of things that several of the products of a category share ("Desk Lamp" among lamps). The most frequent come first. `products` may be a sample.
 */
export function findKinds(meaning: WordMeaning, products: Iterable<ProductTexts>): CatalogKind[] {
  const byCategory = Map.groupBy(products, ({ category }) => category);
  const groups = [...byCategory].flatMap(([category, members]) => groupsOf(meaning, category, members));
  const kinds = groups.toSorted((a, b) => b.products - a.products);
  const telling = tellingWords(
    kinds.map(({ descriptions }) => descriptions),
    (word) => !functionWords.has(word),
  );
  return kinds.map(({ name, category, path }, at) => ({ name, category, path, telling: telling[at] ?? [] }));
}

/** The category as a whole, and the names that its products share. */
function groupsOf(meaning: WordMeaning, category: string, products: readonly ProductTexts[]): Group[] {
  const path = products[0]?.path ?? [];
  const heads = products.map((product) => endingsOf(meaning, product));
  const shared = sharedEndings(heads.map((endings, at) => ({ endings, thing: products[at]?.group ?? at })));
  const groups = new Map<string, Group>();
  const whole: Group = { name: category, category, path, products: 0, descriptions: [] };
  if (category !== "") groups.set(keyOf(category), whole);
  products.forEach(({ description }, at) => {
    const name = heads[at]?.find((ending) => shared.has(ending));
    if (category !== "") addTo(whole, description);
    if (name === undefined) return;
    const key = keyOf(name);
    const group = groups.get(key) ?? { name, category, path, products: 0, descriptions: [] };
    groups.set(key, group);
    if (group !== whole) addTo(group, description);
  });
  return [...groups.values()];
}

/** Singular and plural are the same. */
function keyOf(name: string): string {
  return wordsOf(name)
    .join(" ")
    .replace(/(?<=[^s])s$/, "");
}

function addTo(group: Group, description: string): void {
  group.products++;
  if (group.descriptions.length < maxDescriptions) group.descriptions.push(description);
}

/** The last words of a name up to what qualifies it, longest first. Empty if the last one is not a thing. */
function endingsOf(meaning: WordMeaning, { name, brand }: ProductTexts): string[] {
  const [thing = ""] = name.split(qualifier, 1);
  const own = wordsOf(thing);
  const brandWords = new Set(wordsOf(brand));
  const named = own.filter((word) => !brandWords.has(word));
  // "Desk Lamp Two" is a desk lamp.
  const words = named.slice(0, named.findLastIndex((word) => !numberWords.has(word)) + 1);
  const last = words.at(-1);
  if (last === undefined || !meaning.isThing(last)) return [];
  const longest = Math.min(maxWords, words.length);
  return Array.from({ length: longest }, (_, shorter) => words.slice(shorter - longest).join(" "));
}

interface ThingName {
  readonly endings: readonly string[];
  /** The same for variants of one thing. */
  readonly thing: string | number;
}

/** The endings that the names of several things have. The variants of a model have its name, and are one thing. */
function sharedEndings(names: readonly ThingName[]): ReadonlySet<string> {
  const things = new Map<string, Set<string | number>>();
  for (const { endings, thing } of names)
    for (const ending of endings) things.set(ending, (things.get(ending) ?? new Set()).add(thing));
  return new Set([...things].filter(([, { size }]) => size >= leastProducts).map(([ending]) => ending));
}
