import colours from "@product-search/core/domain/query-understanding/words/colours.json" with {
  type: "json",
};
import materials from "@product-search/core/domain/query-understanding/words/materials.json" with {
  type: "json",
};
import type { KindFinder, MeantKinds, NamedKind } from "@product-search/core/ports/kind-finder.ts";
import type {
  SuggestionQuery,
  TextFilters,
  TextHits,
  TextQuery,
  TextSearch,
  TextSuggestions,
} from "@product-search/core/ports/text-search.ts";
import { contentWords, isWeak } from "@product-search/word-meaning";

/** A text in the language of the catalog; undefined if it is not in a foreign language, or has no known word. */
export type TranslateText = (text: string, textSearch: TextSearch) => Promise<string | undefined>;

export interface SearchByMeaningParts {
  readonly textSearch: TextSearch;
  readonly kindFinder: KindFinder;
  readonly translate: TranslateText;
}

/** A text of fewer letters may still become anything. */
const leastLetters = 4;

const propertyWords: ReadonlySet<string> = new Set([...colours, ...materials].flatMap(({ en }) => en));

/**
 * The same text search, but where it understands too little of a text, the products are those of the kinds that the text means.
 * Kinds are filters: the text search still finds, orders and counts the products. Works over every engine.
 */
export function createSearchByMeaning(parts: SearchByMeaningParts): TextSearch {
  const { textSearch } = parts;
  return {
    ...textSearch,
    search: async (query, signal) => {
      const hits = await textSearch.search(query, signal);
      if (query.byMeaning !== true || query.text.trim() === "") return hits;
      return (await searchAgain(parts, query, hits, signal)) ?? hits;
    },
    suggest: async (query, signal) => {
      const suggestions = await textSearch.suggest(query, signal);
      return isEmpty(suggestions) ? suggestKinds(parts, query, suggestions, signal) : suggestions;
    },
  };
}

/** Undefined if the first reading was good enough, or if nothing better is found. */
async function searchAgain(
  parts: SearchByMeaningParts,
  query: TextQuery,
  hits: TextHits,
  signal: AbortSignal,
): Promise<TextHits | undefined> {
  const { textSearch, kindFinder, translate } = parts;
  const isPoor = isWeak(query.text, readingOf(hits));
  if (!isPoor && hits.correctedText === undefined) return searchSureKinds(parts, query, hits, signal);
  const translated = await translate(query.text, textSearch);
  if (!isPoor && translated === undefined) return undefined;
  const text = translated ?? query.text;
  if (translated !== undefined) {
    const found = await textSearch.search({ ...query, text }, signal);
    if (!isWeak(text, readingOf(found))) return { ...found, correctedText: found.correctedText ?? text };
  }
  const meant = kindFinder.kindsMeant(text);
  if (translated === undefined && isLiteral(kindFinder, text, hits, meant)) return undefined;
  if (meant !== undefined) return searchKinds(textSearch, { ...query, text }, meant, hits, signal);
  const isNoise = consistsOfNoise(query.text, hits);
  return hits.fullMatches === 0 && (isNoise || kindFinder.isFixedName(text))
    ? withoutThing(textSearch, query, hits, signal)
    : undefined;
}

/**
 * Whether products are called what the text names, and the ignored words cannot tell which kinds of it are meant: "purple hoodie",
 * "xyzzy lamp". A warm jacket is one of the kinds of jackets, if the catalog has such kinds.
 */
function isLiteral(
  kindFinder: KindFinder,
  text: string,
  { total, thing, droppedWords }: TextHits,
  meant: MeantKinds | undefined,
): boolean {
  const named = total === 0 ? undefined : kindFinder.namedThing(text);
  const isDropped = (word: string) => droppedWords.includes(word);
  if (named === undefined || named.words.at(-1) !== thing || named.words.some(isDropped)) return false;
  const telling = named.describing.filter((word) => isDropped(word) && !propertyWords.has(word));
  return telling.length === 0 || !(meant?.isNamed || meant?.isUmbrella);
}

/** Whether no word of the text that means something is in a product. Only words in Latin letters are seen here. */
function consistsOfNoise(text: string, { droppedWords }: TextHits): boolean {
  const words = contentWords(text);
  if (words.length === 0 || /[^\p{Script=Latin}\P{L}]/u.test(text)) return false;
  return words.every((word) => droppedWords.includes(word));
}

/** Some words of the text are in products, but what it describes as a whole is another kind. */
async function searchSureKinds(
  { textSearch, kindFinder }: SearchByMeaningParts,
  query: TextQuery,
  hits: TextHits,
  signal: AbortSignal,
): Promise<TextHits | undefined> {
  const meant = hits.fullMatches === 0 ? kindFinder.kindsMeant(query.text) : undefined;
  return meant?.isSure === true ? searchKinds(textSearch, query, meant, hits, signal) : undefined;
}

/** No product has the whole name of a thing, so the catalog lacks it: what has a part of the name is only related. */
async function withoutThing(
  textSearch: TextSearch,
  query: TextQuery,
  { rowIds, relatedRowIds }: TextHits,
  signal: AbortSignal,
): Promise<TextHits> {
  const nothing = await textSearch.search({ ...query, everyWord: true }, signal);
  return {
    ...nothing,
    absentThing: query.text,
    ...(query.relatedLimit !== undefined && {
      relatedRowIds: [...rowIds, ...(relatedRowIds ?? [])].slice(0, query.relatedLimit),
    }),
  };
}

function readingOf({ total, droppedWords }: TextHits) {
  return { total, ignoredWords: droppedWords };
}

/** Finds products of the kinds: those with the other words of the text, else with its colours and materials, else all. */
async function searchKinds(
  textSearch: TextSearch,
  query: TextQuery,
  { kinds, closest, otherWords, meantWords }: MeantKinds,
  { droppedWords }: TextHits,
  signal: AbortSignal,
): Promise<TextHits | undefined> {
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
    const filters = { ...query.filters, kinds: of };
    const found = await textSearch.search({ ...query, text, filters, everyWord: true }, signal);
    if (found.total === 0) continue;
    const isMet = (word: string) =>
      words.includes(word) || (meantWords.includes(word) && !propertyWords.has(word));
    const unmet = [...content, ...droppedWords.filter(isNoLatinWord)].filter((word) => !isMet(word));
    return {
      ...found,
      ...(unmet.length > 0 && { fullMatches: 0 }),
      droppedWords: await absentWords(textSearch, filters, unmet, signal),
      kinds: await namesOfHits(textSearch, { ...query, text }, of, signal),
    };
  }
  return undefined;
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
  const query = { filters, sort: "relevance", offset: 0, limit: 0, everyWord: true } as const;
  const found = await Promise.all(different.map((text) => textSearch.search({ ...query, text }, signal)));
  return different.filter((_, i) => found[i]?.total === 0);
}

/** More names than this say little, and each kind costs a search. */
const maxNames = 20;

/** The names of the first kinds that have one of the hits: the text and the filters may leave none of a kind. */
async function namesOfHits(
  textSearch: TextSearch,
  { text, filters }: TextQuery,
  kinds: readonly NamedKind[],
  signal: AbortSignal,
): Promise<string[]> {
  if (kinds.length === 1) return namesOf(kinds);
  const query = { text, sort: "relevance", offset: 0, limit: 0, everyWord: true } as const;
  const names = new Set<string>();
  for (let from = 0; from < kinds.length && names.size < maxNames; from += maxNames) {
    const some = kinds.slice(from, from + maxNames);
    const found = await Promise.all(
      some.map((kind) => textSearch.search({ ...query, filters: { ...filters, kinds: [kind] } }, signal)),
    );
    for (const [i, { name }] of some.entries()) if (found[i]?.total !== 0) names.add(name);
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
  { text, source, queryLimit, productLimit }: SuggestionQuery,
  nothing: TextSuggestions,
  signal: AbortSignal,
): Promise<TextSuggestions> {
  const meant = text.trim().length < leastLetters ? undefined : kindFinder.kindsMeant(text);
  if (meant === undefined) return nothing;
  const filters = { source, kinds: meant.closest };
  const query = { text: "", filters, sort: "relevance", offset: 0, limit: productLimit } as const;
  const { rowIds } = await textSearch.search(query, signal);
  if (rowIds.length === 0) return nothing;
  const queries = namesOf(meant.closest).map((name) => name.toLowerCase());
  return { ...nothing, queries: [...new Set(queries)].slice(0, queryLimit), rowIds };
}
