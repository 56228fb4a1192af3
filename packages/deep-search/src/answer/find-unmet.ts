import type { ForeignCode } from "@product-search/core/domain/languages/languages.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { Unmet, UnmetReason } from "@product-search/core/ports/answer-writer.ts";
import { unlessUsedUp } from "../reading.ts";
import type { Part, Retrieved } from "../retrieval/retrieve.ts";
import { colourIn, colourNames, comparable, namesThing } from "../understanding/colours.ts";
import { textOfProduct } from "../understanding/product-words.ts";
import { isSizeWord } from "../understanding/read-roles.ts";
import { statesWish } from "../understanding/shop-question.ts";
import { materialNames, statusOfThing, type ThingDeps } from "../understanding/things.ts";
import type { Intent, Understanding } from "../understanding/understanding.ts";
import { audienceWords, opinionWords } from "../understanding/word-lists.ts";
import type { AsWritten } from "./format.ts";
import { isSameRoot } from "./product-facts.ts";

/** The conditions of a request that its products do not meet, or that their data does not show. */
export async function findUnmet(
  deps: ThingDeps,
  { intents, language, leftOut = [] }: Understanding,
  { parts, productCount }: Retrieved,
  asWritten: AsWritten,
  signal: AbortSignal,
): Promise<Unmet[]> {
  if (productCount === 0) return [];
  const found = parts.flatMap((part, index) => {
    const original = intents[index];
    return original === undefined || part.products.length === 0 ? [] : [{ part, original }];
  });
  const groups = [
    ...grouped(leftOut, [], asWritten),
    ...parts.flatMap(({ unconfirmed = [] }) =>
      unconfirmed.map((words) => ({ reason: "size", words }) as const),
    ),
    ...found.flatMap(({ part, original }) => droppedGroups(part, original, parts, asWritten)),
    ...found.flatMap(({ part, original }) => relaxedGroups(part, original, language)),
    // The name of a thing in another language is not a name in the catalog.
    ...(language === undefined ? await nameGroups(deps, found, signal) : []),
    ...(found.length === 1 ? found.flatMap(wishGroups) : []),
    ...(await exclusionGroups(
      deps,
      found.map(({ original }) => original),
      signal,
    )),
  ];
  const unmet = groups.flatMap(({ reason, words }) => {
    // "King size" is the size king.
    const wording = reason === "colour" ? words[0] : (asWritten(words) ?? asWritten(words.toReversed()));
    return wording === undefined ? [] : [{ reason, wording }];
  });
  return [...new Map(unmet.map((one) => [one.wording.toLowerCase(), one])).values()];
}

const namesLookedAt = 16;

interface Group {
  reason: UnmetReason;
  words: readonly string[];
}

interface Found {
  part: Part;
  original: Intent;
}

/** Words that no product of the part has, those that stand together in the request as one: "size 42". */
function droppedGroups(
  { droppedWords, products: own }: Part,
  original: Intent,
  parts: readonly Part[],
  asWritten: AsWritten,
): Group[] {
  const requested = new Set([...original.words, ...original.purpose]);
  // "Size 42": shoes have an attribute of that name and value, though no text has the name.
  const namesMetAttribute = (word: string): boolean =>
    own.some(
      ({ attributes = {} }) =>
        Object.hasOwn(attributes, word) &&
        attributes[word]?.some((value) => requested.has(value.toLowerCase())),
    );
  const isMetElsewhere = (word: string): boolean =>
    parts.some(
      ({ intent, droppedWords: dropped, products }) =>
        products.length > 0 && [...intent.words, ...intent.purpose].includes(word) && !dropped.includes(word),
    );
  const words = droppedWords.filter((dropped) => !isMetElsewhere(dropped) && !namesMetAttribute(dropped));
  const [best] = own;
  // What was set aside for all products may hold for some: of these nothing is denied.
  return grouped(words, original.purpose, asWritten)
    .filter(({ words: all }) => best === undefined || !statesWords(best, all))
    .map((group) =>
      own.some((product) => statesWords(product, group.words)) ? { ...group, reason: "wish" } : group,
    );
}

/** Whether the texts or attributes of a product have all words in some form. */
export function statesWords(product: StoredProduct, words: readonly string[]): boolean {
  const said = comparable(textOfProduct(product)).split(" ");
  return words.every((word) => said.some((other) => isSameRoot(comparable(word), other)));
}

function grouped(words: readonly string[], purpose: readonly string[], asWritten: AsWritten): Group[] {
  const groups: Group[] = [];
  for (const word of words) {
    const last = groups.at(-1);
    const joined = [...(last?.words ?? []), word];
    const reason = last?.reason === "size" ? "size" : reasonOf(word, purpose);
    if (last?.reason === reason && isWritten(joined, asWritten)) last.words = joined;
    else groups.push({ reason: reasonOf(word, purpose), words: [word] });
  }
  return groups;
}

/** Whether the words stand side by side in the request, in this order. */
function isWritten(words: readonly string[], asWritten: AsWritten): boolean {
  const said = asWritten(words)?.toLowerCase();
  return said !== undefined && said === words.map((word) => asWritten([word])?.toLowerCase()).join(" ");
}

function reasonOf(word: string, purpose: readonly string[]): UnmetReason {
  if (isSizeWord(word)) return "size";
  if (audienceWords.has(word)) return "audience";
  return purpose.includes(word) ? "purpose" : "word";
}

/** The values of constraints that were relaxed. */
function relaxedGroups(
  { relaxed }: Part,
  { constraints }: Intent,
  language: ForeignCode | undefined,
): Group[] {
  const { colours = [], brands = [], stores = [], attributes = [] } = constraints;
  return [
    ...(relaxed.includes("attribute")
      ? attributes.map(({ name, values: [value = ""] }): Group => ({ reason: "size", words: [name, value] }))
      : []),
    // The base form: "eine rote Lampe" asks for "rot".
    ...(relaxed.includes("colour") ? colours.map((group) => one("colour", [colourIn(group, language)])) : []),
    ...(relaxed.includes("brand") ? brands.map((brand) => one("brand", [brand])) : []),
    ...(relaxed.includes("store") ? stores.map((store) => one("store", [store])) : []),
  ];
}

/** "White sneakers", but only running shoes are white: the catalog has products of that name, and none fits. */
async function nameGroups(deps: ThingDeps, things: readonly Found[], signal: AbortSignal): Promise<Group[]> {
  const groups: Group[] = [];
  for (const { part, original } of things) {
    const { head } = original;
    const isSearched =
      head !== undefined && part.intent.words.includes(head) && !part.droppedWords.includes(head);
    if (!isSearched || original.constraints.categories !== undefined || part.hits.correctedText !== undefined)
      continue;
    if (part.products.some(({ name, category = "" }) => namesThing(`${name} ${category}`, head))) continue;
    if (await unlessUsedUp(() => isNameOfProducts(deps, head, signal), false))
      groups.push(one("name", [head]));
  }
  return groups;
}

async function isNameOfProducts(
  { textSearch, catalogStore }: ThingDeps,
  word: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { rowIds } = await textSearch.search(
    {
      text: word,
      filters: { source: "catalog" },
      sort: "relevance",
      order: "desc",
      offset: 0,
      limit: namesLookedAt,
    },
    signal,
  );
  return (await catalogStore.findByRowIds(rowIds)).some(({ name }) => namesThing(name, word));
}

function one(reason: UnmetReason, [word = ""]: readonly string[]): Group {
  return { reason, words: [word] };
}

/** Opinions that the texts of the best product do not share: "small". */
function wishGroups({ part: { products }, original: { wishes } }: Found): Group[] {
  const [best] = products;
  return wishes
    .filter((wish) => opinionWords.has(wish) && best !== undefined && !statesWish(best, wish))
    .map((wish) => one("wish", [wish]));
}

/**
 * Texts say what colour, material and kind a product has, so leaving these out is sure. A product may well have a handle
 * that no text mentions.
 */
async function exclusionGroups(
  deps: ThingDeps,
  intents: readonly Intent[],
  signal: AbortSignal,
): Promise<Group[]> {
  const groups: Group[] = [];
  for (const word of new Set(intents.flatMap(({ constraints: { without = [] } }) => without)))
    if (!(await isSure(deps, word, signal))) groups.push(one("exclusion", [word]));
  return groups;
}

async function isSure(deps: ThingDeps, text: string, signal: AbortSignal): Promise<boolean> {
  if (text.split(" ").every((word) => colourNames.has(word) || materialNames.has(word))) return true;
  const { textSearch } = deps;
  const names = await Promise.all([
    textSearch.brandsNamedIn(text),
    textSearch.storesNamedIn(text),
    textSearch.categoriesNamedIn(text),
  ]);
  if (names.some((list) => list.length > 0)) return true;
  return (await statusOfThing(deps, text, signal)) === "named";
}
