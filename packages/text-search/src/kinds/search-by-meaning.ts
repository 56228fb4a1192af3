import { readFile, rename, writeFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { colours, type ForeignCode, materials } from "@product-search/core/domain/languages/languages.ts";
import { fold } from "@product-search/core/domain/name-list.ts";
import type { ProductSource, StoredProduct } from "@product-search/core/domain/product.ts";
import { isCategoryName } from "@product-search/core/domain/product.ts";
import { giveWay } from "@product-search/core/mechanisms/fair-queue.ts";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { UntilChange } from "@product-search/core/mechanisms/versions.ts";
import type { KindFinder, MeantKinds, NamedKind } from "@product-search/core/ports/kind-finder.ts";
import type {
  SuggestionQuery,
  TextFilters,
  TextHits,
  TextQuery,
  TextSearch,
  TextSuggestions,
} from "@product-search/core/ports/text-search.ts";
import {
  type CatalogKind,
  chooseKinds,
  closestKinds,
  contentWords,
  createKindTable,
  findKinds,
  isFixedName,
  type KindTable,
  type KindVectors,
  type MeaningMemory,
  namedThing,
  openWordMeaning,
  type ProductTexts,
  readMeaning,
  type WordMeaning,
} from "@product-search/word-meaning";
import { pauseForSearches } from "../apply-changes.ts";
import { type CatalogLog, countProducts } from "../catalog-log.ts";
import { isForeignNoun } from "../service-languages.ts";

/** A text that names a store, and what else it says. */
interface StoreInText {
  readonly store: string;
  readonly rest: string;
}

/** "At Nord", "by the Nord", in four languages. What follows the loose ones may as well be a material: "vestido de lino". */
const strictLinks: ReadonlySet<string> = new Set(["at", "from", "by", "bei", "beim", "von", "vom", "chez"]);
const looseLinks: ReadonlySet<string> = new Set(["en", "de", "del", "du"]);
const articles: ReadonlySet<string> = new Set(["the", "der", "dem", "la", "le", "el"]);

/**
 * The store that a text asks for: "lamp from Nord", or nothing but its name. Elsewhere a store's name is no more than words: a
 * lantern is not all of Lantern Market. Where the rest is no thing that the source has, words that products have come first:
 * "greetings from Paris" may be a poster.
 */
async function readStore(
  textSearch: Pick<TextSearch, "search" | "storesNamedIn">,
  text: string,
  source: ProductSource | undefined,
  signal: AbortSignal,
): Promise<StoreInText | undefined> {
  const read = (words: string) => {
    const filters = source === undefined ? {} : { source };
    return textSearch.search({ text: words, filters, sort: "relevance", offset: 0, limit: 0 }, signal);
  };
  for (const store of await textSearch.storesNamedIn(text)) {
    const named = withoutStore(text, store);
    if (named === undefined) continue;
    const { link, rest } = named;
    if (rest === "") return { store, rest };
    const isThing = (await read(rest)).sourceHas === "thing";
    if (!(isThing && strictLinks.has(link)) && hasAllWords(await read(`${rest} ${store}`))) continue;
    return { store, rest: isThing || !rest.split(" ").every(saysNothing) ? rest : "" };
  }
  return undefined;
}

function hasAllWords({ sourceHas, droppedWords, correctedText }: TextHits): boolean {
  return sourceHas !== "nothing" && droppedWords.length === 0 && correctedText === undefined;
}

/** "Something from Nord" is all of it. */
function saysNothing(word: string): boolean {
  return /^[a-z]+$/.test(foldedWord(word)) && contentWords(word).length === 0;
}

/** Undefined if the text does not ask for the store. */
function withoutStore(text: string, store: string): { link: string; rest: string } | undefined {
  const words = text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const folded = words.map(foldedWord);
  const name = store
    .split(/\s+/u)
    .map(foldedWord)
    .filter((word) => word !== "");
  for (const at of folded.keys()) {
    if (!name.every((word, i) => folded[at + i] === word)) continue;
    if (name.length === words.length) return { link: "", rest: "" };
    const place = articles.has(folded[at - 1] ?? "") ? at - 2 : at - 1;
    const link = folded[place] ?? "";
    if (strictLinks.has(link) || looseLinks.has(link))
      return { link, rest: [...words.slice(0, place), ...words.slice(at + name.length)].join(" ") };
  }
  return undefined;
}

function foldedWord(word: string): string {
  return fold(word).replace(/[^\p{L}\p{N}]+/gu, "");
}

/** A text in the language of the catalog; undefined if it is not in a foreign language, or has no known word. */
export type TranslateText = (
  text: string,
  textSearch: TextSearch,
) => Promise<{ text: string; language: ForeignCode; beside: readonly string[] } | undefined>;

export interface SearchByMeaningParts {
  readonly textSearch: TextSearch;
  readonly kindFinder: KindFinder;
  readonly translate: TranslateText;
}

/** A text of fewer letters may still become anything. */
const leastLetters = 4;

const propertyWords: ReadonlySet<string> = new Set([...colours, ...materials].flatMap(({ en }) => en));

/**
 * The same text search, but where the words of a text name nothing that the source has, the products are those of the kinds that
 * the text means. What is meant follows from the text and the source, never from filters. Kinds are filters: the text search still
 * finds, orders and counts the products. Works over every engine.
 */
export function createSearchByMeaning(parts: SearchByMeaningParts): TextSearch {
  const { textSearch } = parts;
  return {
    ...textSearch,
    search: async (query, signal) => {
      if (query.byMeaning !== true || query.text.trim() === "") return textSearch.search(query, signal);
      const { text, filters } = query;
      const named = await readStore(textSearch, text, filters.source, signal);
      if (named === undefined) return searchWords(parts, query, signal);
      const stores = filters.stores ?? [named.store];
      const inStore = { ...query, text: named.rest, filters: { ...filters, stores } };
      return { ...(await searchWords(parts, inStore, signal)), stores: [named.store] };
    },
    suggest: async (query, signal) => {
      const suggestions = await textSearch.suggest(query, signal);
      return isEmpty(suggestions) ? suggestKinds(parts, query, suggestions, signal) : suggestions;
    },
  };
}

async function searchWords(
  parts: SearchByMeaningParts,
  query: TextQuery,
  signal: AbortSignal,
): Promise<TextHits> {
  const hits = await parts.textSearch.search(query, signal);
  if (query.text === "") return hits;
  return (await searchAgain(parts, query, hits, signal)) ?? hits;
}

/** Undefined if the words are understood, or if nothing better is found. */
async function searchAgain(
  { textSearch, kindFinder, translate }: SearchByMeaningParts,
  query: TextQuery,
  hits: TextHits,
  signal: AbortSignal,
): Promise<TextHits | undefined> {
  const isRead = isUnderstood(query.text, hits);
  // Nothing is called "vélo" where "Velocita" begins with it.
  const isWritten = isRead && hits.correctedText === undefined && hits.sourceHas === "thing";
  if (isWritten && hits.droppedWords.length === 0) return undefined;
  const translated = await translate(query.text, textSearch);
  // "Einhorn Tischlampe" is another lamp, though only the lamp has a translation.
  const everyWord = translated?.beside.some((word) => isForeignNoun(translated.language, word)) ?? false;
  if (translated !== undefined && (everyWord || !isWritten)) {
    const { text } = translated;
    const found = await textSearch.search({ ...query, text, everyWord }, signal);
    if (everyWord || isUnderstood(text, found))
      return { ...found, correctedText: found.correctedText ?? text };
  }
  if (isRead) return undefined;
  const text = translated?.text ?? query.text;
  await giveWay();
  const meant = kindFinder.kindsMeant(text);
  // "Unicorn table lamp" is another table lamp than the source has.
  if (meant?.isNamed && hits.thing !== undefined) return undefined;
  return meant && searchKinds(textSearch, { ...query, text }, meant, hits, signal);
}

const anyNumber = /\p{N}/u;

/** Words come before kinds: a number or a code is no description, and what is called so needs no other meaning. */
function isUnderstood(text: string, { sourceHas, droppedWords, thing }: TextHits): boolean {
  if (anyNumber.test(text)) return true;
  // "Unicorn lamp" is another lamp than the source has. More words may describe one that it has.
  const [, last, ...more] = text.trim().split(/\s+/u).map(foldedWord);
  if (thing !== undefined && last === thing && more.length === 0) return true;
  if (contentWords(text).length === 0 && droppedWords.length > 0) return false;
  return sourceHas === "thing" || (sourceHas === "words" && droppedWords.length === 0);
}

/** Finds products of the kinds: those with the other words of the text, else with its colours and materials, else all. */
async function searchKinds(
  textSearch: TextSearch,
  query: TextQuery,
  { kinds, closest, otherWords, meantWords }: MeantKinds,
  { droppedWords }: TextHits,
  signal: AbortSignal,
): Promise<TextHits | undefined> {
  const { source } = query.filters;
  const inSource = source === undefined ? {} : { source };
  const content = contentWords(query.text);
  const others = otherWords.length > 0 ? otherWords : content.filter((word) => !droppedWords.includes(word));
  const properties = content.filter((word) => propertyWords.has(word));
  const attempts = [
    ...(others.length > 0 ? [{ words: others, of: kinds }] : []),
    ...(properties.length > 0 ? [{ words: properties, of: kinds }] : []),
    { words: [], of: closest },
  ];
  for (const { words, of } of attempts) {
    const text = words.join(" ");
    if (!(await isAny(textSearch, text, { ...inSource, kinds: of }, signal))) continue;
    const filters = { ...query.filters, kinds: of };
    const isMet = (word: string) =>
      words.includes(word) || (meantWords.includes(word) && !propertyWords.has(word));
    const unmet = [...content, ...droppedWords.filter(isNoLatinWord)].filter((word) => !isMet(word));
    const [found, absent, names] = await Promise.all([
      textSearch.search({ ...query, text, filters, everyWord: true }, signal),
      absentWords(textSearch, { ...inSource, kinds: of }, unmet, signal),
      namesMeant(textSearch, text, inSource, of, signal),
    ]);
    return { ...found, droppedWords: absent, kinds: names };
  }
  return undefined;
}

/** Whether any product passes the filters and has all words. */
async function isAny(
  textSearch: TextSearch,
  text: string,
  filters: TextFilters,
  signal: AbortSignal,
): Promise<boolean> {
  const query = { text, filters, sort: "relevance", offset: 0, limit: 0, everyWord: true } as const;
  return (await textSearch.search(query, signal)).total > 0;
}

/** A number, or a word in other letters: no kind stands for it. */
function isNoLatinWord(word: string): boolean {
  return /[^\p{Script=Latin}]/u.test(word);
}

/** Each word costs a search. Of a longer text, the words after these are not reported. */
const maxLookedUp = 8;

/** Those of the first words that no product has that passes the filters. */
async function absentWords(
  textSearch: TextSearch,
  filters: TextFilters,
  words: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const different = [...new Set(words)].slice(0, maxLookedUp);
  const found = await Promise.all(different.map((word) => isAny(textSearch, word, filters, signal)));
  return different.filter((_, i) => found[i] === false);
}

/** More names than this say little, and each kind costs a search. */
const maxNames = 20;

/** The names of the first kinds that have a product with the text. */
async function namesMeant(
  textSearch: TextSearch,
  text: string,
  filters: TextFilters,
  kinds: readonly NamedKind[],
  signal: AbortSignal,
): Promise<string[]> {
  if (kinds.length === 1 || text === "") return namesOf(kinds).slice(0, maxNames);
  const names = new Set<string>();
  for (let from = 0; from < kinds.length && names.size < maxNames; from += maxNames) {
    const some = kinds.slice(from, from + maxNames);
    const found = await Promise.all(
      some.map((kind) => isAny(textSearch, text, { ...filters, kinds: [kind] }, signal)),
    );
    for (const [i, { name }] of some.entries()) if (found[i] === true) names.add(name);
  }
  return [...names].slice(0, maxNames);
}

function namesOf(kinds: readonly NamedKind[]): string[] {
  return [...new Set(kinds.map(({ name }) => name))];
}

function isEmpty({ queries, brands, categories, rowIds }: TextSuggestions): boolean {
  return [queries, brands, categories, rowIds].every(({ length }) => length === 0);
}

/** The names of the kinds as queries, and some of their products. */
async function suggestKinds(
  { textSearch, kindFinder }: SearchByMeaningParts,
  { text, source, queryLimit, productLimit, outOfStockLast = false }: SuggestionQuery,
  nothing: TextSuggestions,
  signal: AbortSignal,
): Promise<TextSuggestions> {
  const isDescription = text.trim().length >= leastLetters && !anyNumber.test(text);
  await giveWay();
  const meant = isDescription ? kindFinder.kindsMeant(text) : undefined;
  if (meant === undefined) return nothing;
  const filters = { source, kinds: meant.closest };
  const page = { offset: 0, limit: productLimit, outOfStockLast };
  const query = { text: "", filters, sort: "relevance", ...page } as const;
  const { rowIds } = await textSearch.search(query, signal);
  if (rowIds.length === 0) return nothing;
  const queries = namesOf(meant.closest).map((name) => name.toLowerCase());
  return { ...nothing, queries: [...new Set(queries)].slice(0, queryLimit), rowIds };
}

/** The kinds of the catalog, and what gives texts a meaning, both in memory that threads share. */
export interface KindsOfCatalog {
  readonly memory: MeaningMemory;
  readonly table: KindTable;
}

interface FollowKindsSettings {
  readonly log: CatalogLog;
  /** Where the meanings of the kinds are saved between starts: a kind takes some 10 ms of processor time. */
  readonly file: string;
  /** Called with the kinds when they are known, and whenever they may have changed. */
  readonly publish: (kinds: KindsOfCatalog) => void;
  /** Called if the catalog or the file could not be read or written. It is retried; searches keep the former kinds. */
  readonly onError: (error: unknown) => void;
  /** Awaited before the first kinds if none are saved: what the service waits for at its start takes the same thread. */
  readonly untilFree?: (signal: AbortSignal) => Promise<void>;
  readonly pollMs?: number;
  readonly untilChange?: UntilChange;
}

/** A kind with fewer products than this share of a large catalog may be missed. */
const sampleSize = 20_000;
const batchSize = 256;
/** The beginning of a description says what the product is for. */
const descriptionLength = 300;
/** The rest of the time is left to searches while the catalog keeps changing. */
const pauseFactor = 20;

/**
 * Finds the kinds of the catalog's products, again after changes, and publishes them. It reads a sample in small batches, beside the
 * work of its thread. Ends when the signal aborts.
 */
export async function followKinds(
  { log, file, publish, onError, untilFree, pollMs = 1000, untilChange = pause }: FollowKindsSettings,
  signal: AbortSignal,
): Promise<void> {
  const memory = readMeaning();
  const meaning = openWordMeaning(memory);
  let vectors: KindVectors | undefined;
  let sequence: number | undefined;
  while (!signal.aborted) {
    const startedAt = performance.now();
    try {
      const newest = await log.lastSequence();
      if (newest !== sequence) {
        vectors ??= await readKindVectors(file);
        if (vectors === undefined) await untilFree?.(signal);
        const products = await sampleProducts(log, signal);
        if (signal.aborted) return;
        const table = await createKindTable(meaning, findKinds(meaning, products), vectors, () => {
          signal.throwIfAborted();
          return pauseForSearches();
        });
        publish({ memory, table });
        sequence = newest;
        const isSaved = vectors !== undefined && sameKeys(vectors, table);
        vectors = table;
        if (!isSaved) await saveKindVectors(file, table);
      }
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    await untilChange(Math.max(pollMs, pauseFactor * (performance.now() - startedAt)), signal);
  }
}

function sameKeys(one: KindVectors, other: KindVectors): boolean {
  return one.keys.length === other.keys.length && one.keys.every((key, at) => key === other.keys[at]);
}

/** All products of a small catalog; of a large one, groups of neighbours that are spread evenly. */
async function sampleProducts(log: CatalogLog, signal: AbortSignal): Promise<ProductTexts[]> {
  const batches = Math.ceil(sampleSize / batchSize);
  const isSmall = (await countProducts(log)) <= sampleSize;
  const step = isSmall ? 0 : (await lastRow(log)) / batches;
  const texts: ProductTexts[] = [];
  let after = 0;
  for (let batch = 0; !signal.aborted && (isSmall || batch < batches); batch++) {
    const products = await log.scan(isSmall ? after : Math.floor(batch * step), batchSize);
    texts.push(...products.filter(({ source }) => source === "catalog").map(toTexts));
    after = products.at(-1)?.rowId ?? after;
    if (isSmall && products.length < batchSize) break;
    await pauseForSearches();
  }
  return texts;
}

/** About the greatest row id: there are no rows beyond twice this. */
async function lastRow(log: CatalogLog): Promise<number> {
  let row = sampleSize;
  while ((await log.scan(row * 2, 1)).length > 0) row *= 2;
  let reached = row;
  for (let step = row / 2; step >= batchSize; step /= 2)
    if ((await log.scan(Math.floor(reached + step), 1)).length > 0) reached = Math.floor(reached + step);
  return reached;
}

function toTexts(product: StoredProduct): ProductTexts {
  const { name, brand = "", category = "", categoryPaths: [path = []] = [], groupId, description } = product;
  return {
    name,
    brand,
    // The number of a category in a taxonomy names no kind.
    category: isCategoryName(category) ? category : "",
    path: path.slice(0, -1).filter(isCategoryName),
    ...(groupId !== undefined && { group: groupId }),
    description: description.slice(0, descriptionLength),
  };
}

/** Eight letters, a checksum of what follows, the number of vectors, their keys, and the vectors. */
const magic = "KINDS001";
const checkedFrom = magic.length + 4;
const headerLength = checkedFrom + 4;
/** A hash in base64. */
const keyLength = 28;

/** The vectors that were saved; undefined without a file, or if it is damaged. */
export async function readKindVectors(file: string): Promise<KindVectors | undefined> {
  const bytes = await readFile(file).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  if (bytes === undefined || bytes.length < headerLength) return undefined;
  if (bytes.toString("latin1", 0, magic.length) !== magic) return undefined;
  if (crc32(bytes.subarray(checkedFrom)) !== bytes.readUInt32LE(magic.length)) return undefined;
  const count = bytes.readUInt32LE(checkedFrom);
  const vectorsFrom = headerLength + count * keyLength;
  const keys = Array.from({ length: count }, (_, at) => {
    const from = headerLength + at * keyLength;
    return bytes.toString("latin1", from, from + keyLength);
  });
  // A copy: the place in a buffer of Node need not be a multiple of four.
  return { keys, vectors: new Float32Array(new Uint8Array(bytes.subarray(vectorsFrom)).buffer) };
}

export async function saveKindVectors(file: string, { keys, vectors }: KindVectors): Promise<void> {
  const count = Buffer.alloc(4);
  count.writeUInt32LE(keys.length);
  const numbers = Buffer.from(vectors.buffer, vectors.byteOffset, vectors.byteLength);
  const body = Buffer.concat([count, Buffer.from(keys.join(""), "latin1"), numbers]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(body));
  const draft = `${file}.draft`;
  await writeFile(draft, Buffer.concat([Buffer.from(magic, "latin1"), checksum, body]));
  await rename(draft, file);
}

/** Finds kinds among the newest ones that `followKinds` published. `subscribe` is called once. */
export function createKindFinder(subscribe: (receive: (kinds: KindsOfCatalog) => void) => void): KindFinder {
  let newest: KindsOfCatalog | undefined;
  let opened: WordMeaning | undefined;
  let levels: ReadonlySet<string> = new Set();
  let levelsOf: KindsOfCatalog["table"] | undefined;
  subscribe((kinds) => {
    newest = kinds;
  });
  // Once: the memory is the same for every catalog, but each message has a new handle of it.
  const meaningOf = ({ memory }: KindsOfCatalog): WordMeaning => (opened ??= openWordMeaning(memory));
  return {
    kindsMeant(text) {
      if (newest === undefined) return undefined;
      const chosen = chooseKinds(meaningOf(newest), newest.table, text);
      return chosen && toMeantKinds(chosen);
    },
    kindsNear(text, limit) {
      if (newest === undefined) return [];
      const { table } = newest;
      if (levelsOf !== table) {
        levelsOf = table;
        levels = new Set(table.kinds.flatMap(({ path }) => path));
      }
      const isLevel = ({ category }: CatalogKind) => levels.has(category);
      return closestKinds(meaningOf(newest), table, text, limit, isLevel).map(({ kind, score }) => ({
        kind: toNamedKind(kind),
        score,
      }));
    },
    namedThing: (text) => newest && namedThing(meaningOf(newest), text),
    isFixedName: (text) => newest !== undefined && isFixedName(meaningOf(newest), text),
  };
}

function toMeantKinds({ kinds, closest, ...rest }: ReturnType<typeof chooseKinds> & object): MeantKinds {
  return { ...rest, kinds: kinds.map(toNamedKind), closest: closest.map(toNamedKind) };
}

/** A category is all of its products; another name must be in them. */
function toNamedKind({ name, category }: CatalogKind): NamedKind {
  return { name, category, words: name === category ? "" : name };
}
