import {
  colours,
  type ForeignCode,
  foreignCodes,
  foreignWords,
  materials,
  negation,
  phrasesOf,
  price,
} from "@product-search/core/domain/languages/languages.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { colourNames } from "../colours.ts";
import { fillerWords, prepositions } from "../phrases/grammar-words.ts";
import { giftWords, opinionWords, peopleWords, qualityWords, topicWords } from "../word-lists.ts";

/** The English translation of a foreign word. */
interface Entry {
  english: string;
  /** A kind is not translated if the catalog itself uses the foreign word. */
  role: "grammar" | "kind" | "property";
}

type Dictionary = ReadonlyMap<string, Entry>;

/** All English words that the dictionaries translate to. */
export const englishWords: ReadonlySet<string> = new Set([
  ...Object.values(foreignWords)
    .flatMap(({ kinds, properties }) => [...Object.keys(kinds), ...Object.keys(properties)])
    .flatMap((english) => english.split(" ")),
  ...[...colours, ...materials].flatMap(({ en }) => en),
]);

/** The tables of prices and negations read these words without translation. */
const { below, atMost, orLess, spokenOrLess, above, atLeast, orMore, between, about } = price;
const readElsewhere = [
  ...[below, atMost, orLess, spokenOrLess, above, atLeast, orMore, between, about],
  ...[negation.without, negation.not, negation.no, negation.neither, negation.or, negation.notProperty],
];

const dictionaries: Readonly<Record<ForeignCode, Dictionary>> = recordOf(foreignCodes, dictionaryOf);

/** For each language and each first word of an entry, the number of words of the longest entry. */
const longestEntries: Readonly<Record<ForeignCode, ReadonlyMap<string, number>>> = recordOf(
  foreignCodes,
  (code) => longestEntriesOf(dictionaries[code]),
);

/** Words, marks and commas of a text, in order. French articles are separated from their nouns. */
function tokensOf(text: string): string[] {
  return text
    .replace(/(?<![\p{L}])([dljmnst]|qu)'(?=\p{L})/gu, "$1' ")
    .split(/\s+/u)
    .flatMap(
      (word) =>
        word
          .match(/^(.*?)(,?)$/u)
          ?.slice(1)
          .filter((part) => part !== "") ?? [],
    );
}

interface Found {
  entry: Entry;
  /** The number of tokens of the entry. */
  length: number;
}

/** The longest entry that begins at this token. */
function lookUp(
  dictionary: Dictionary,
  words: readonly string[],
  at: number,
  language: ForeignCode,
): Found | undefined {
  const longest = Math.max(
    ...formsOf(words[at] ?? "", language).map((form) => longestEntries[language].get(form) ?? 0),
  );
  for (let length = Math.min(longest, words.length - at); length > 0; length--) {
    for (const form of formsOfPhrase(words.slice(at, at + length), language)) {
      const entry = dictionary.get(form);
      if (entry !== undefined) return { entry, length };
    }
  }
  const compound = compoundOf(words[at] ?? "", language);
  return compound && { entry: compound, length: 1 };
}

function compoundOf(word: string, language: ForeignCode): Entry | undefined {
  return foreignWords[language].compounds ? splitCompound(dictionaries[language], word) : undefined;
}

function isCompound(word: string, language: ForeignCode): boolean {
  return compoundOf(word, language) !== undefined;
}

const endings = recordOf(foreignCodes, (code) =>
  foreignWords[code].endings.map(([ending, base = ""]) => [new RegExp(`${ending}$`, "u"), base] as const),
);

/** Usually only the noun is inflected, and it is the first or the last word: "lampes de bureau", "pas chères". */
function formsOfPhrase(words: readonly string[], language: ForeignCode): string[] {
  const [first = "", ...others] = words;
  const last = others.at(-1);
  const inner = others.slice(0, -1);
  const starts = formsOf(first, language);
  if (last === undefined) return starts;
  return starts.flatMap((start) => formsOf(last, language).map((end) => [start, ...inner, end].join(" ")));
}

/** The word itself and its possible base forms. */
function formsOf(word: string, language: ForeignCode): string[] {
  const stems = endings[language].map(([ending, base]) => word.replace(ending, base));
  return [word, ...stems.filter((stem) => stem !== word && stem.length > 2)];
}

const shortestPart = 3;

/** "Ledertasche" → "leather bag": two known words, possibly with a linking letter. */
function splitCompound(dictionary: Dictionary, word: string): Entry | undefined {
  for (let at = shortestPart; at <= word.length - shortestPart; at++) {
    const end = dictionary.get(word.slice(at));
    if (end?.role !== "kind") continue;
    const beginning = [word.slice(0, at), word.slice(0, at).replace(/(?:s|n|en)$/u, "")]
      .map((part) => dictionary.get(part))
      .find((entry) => entry !== undefined && entry.role !== "grammar");
    if (beginning !== undefined) return { english: `${beginning.english} ${end.english}`, role: "kind" };
  }
  return undefined;
}

function dictionaryOf(language: ForeignCode): Dictionary {
  const { properties, kinds, grammar } = foreignWords[language];
  const entries: [string, Entry][] = [
    ...readElsewhere.flatMap((list) =>
      list[language].map((word): [string, Entry] => [word, { english: word, role: "grammar" }]),
    ),
    ...entriesOf(properties, "property"),
    ...[...colours, ...materials].flatMap((row) =>
      row[language].map((word): [string, Entry] => [word, { english: row.en[0] ?? word, role: "property" }]),
    ),
    ...entriesOf(kinds, "kind"),
    ...entriesOf(grammar, "grammar"),
  ];
  return new Map(entries.map(([word, entry]) => [tokensOf(word).join(" "), entry]));
}

function entriesOf(
  words: Readonly<Record<string, readonly string[] | undefined>>,
  role: Entry["role"],
): [string, Entry][] {
  return Object.entries(words).flatMap(([english, lines]) =>
    phrasesOf(lines).map((word): [string, Entry] => [word, { english, role }]),
  );
}

function longestEntriesOf(dictionary: Dictionary): Map<string, number> {
  const longest = new Map<string, number>();
  for (const entry of dictionary.keys()) {
    const words = entry.split(" ");
    const [first = ""] = words;
    longest.set(first, Math.max(words.length, longest.get(first) ?? 0));
  }
  return longest;
}

/** Words of another language that are things in English: "hose", "collar". */
const englishThings = wordsOfAll("englishThings");

/** Words of one language that are also English, or words of another. */
const doubtful: ReadonlySet<string> = new Set([...englishThings, ...wordsOfAll("alsoEnglish")]);

function wordsOfAll(list: "alsoEnglish" | "englishThings"): ReadonlySet<string> {
  return new Set(foreignCodes.flatMap((code) => foreignWords[code][list].split(" ")));
}

/** A single word is enough to detect a language if it is this long, or has letters that English does not have. */
const longWord = 6;

/** A request translated into English, as far as its words are known. */
export interface Translated {
  text: string;
  /** The original words by their English translation: a catalog in that language contains them. */
  typed: ReadonlyMap<string, string>;
  /** Undefined for English. */
  language?: ForeignCode | undefined;
  /** Words without a translation where a noun would make a thing another one: before it in German, else after it. */
  beside: readonly string[];
}

/**
 * Translates everyday words of requests in other languages into English, which the other tables read. Unknown words
 * stay unchanged, and so does a thing if the catalog itself uses the foreign word.
 */
export async function translate(
  text: string,
  names: readonly string[],
  { wordFrequency }: Pick<TextSearch, "wordFrequency">,
): Promise<Translated> {
  return translateFrom(detectLanguage(tokensOf(text)), text, names, { wordFrequency });
}

async function translateFrom(
  language: ForeignCode | undefined,
  text: string,
  names: readonly string[],
  { wordFrequency }: Pick<TextSearch, "wordFrequency">,
): Promise<Translated> {
  const words = tokensOf(text);
  const typed = new Map<string, string>();
  if (language === undefined) return { text, typed, beside: [] };
  const { compounds = false } = foreignWords[language];
  const dictionary = dictionaries[language];
  const isName = new Set(names.flatMap((name) => tokensOf(name.toLowerCase())));
  const translated: string[] = [];
  const beside: string[] = [];
  let followsKind = false;
  let unknown: string | undefined;
  for (let at = 0; at < words.length; ) {
    const word = words[at] ?? "";
    const found = isName.has(word) ? undefined : lookUp(dictionary, words, at, language);
    const source = words.slice(at, at + (found?.length ?? 1)).join(" ");
    at += found?.length ?? 1;
    const entry = found?.entry;
    const isKept = entry === undefined || (await isKeptFor(entry, source, wordFrequency));
    const target = isKept ? source : entry.english;
    // "Zapatos impermeables": an adjective follows its noun.
    if (followsKind && entry?.role === "property" && !compounds && !colourNames.has(target))
      translated.push("with");
    translated.push(target);
    if (!isKept && entry.role !== "grammar") typed.set(target, source);
    const isUnknown = entry === undefined && !isName.has(word) && !isEnglish(word);
    if (compounds && entry?.role === "kind" && unknown !== undefined) beside.push(unknown);
    if (!compounds && followsKind && isUnknown) beside.push(word);
    unknown = isUnknown ? word : undefined;
    followsKind = entry?.role === "kind";
  }
  return { text: translated.join(" "), typed, language, beside };
}

/**
 * The text in English; undefined if it is in no foreign language, or if the catalog itself has its words. Not all of it is
 * understood as it is, so a few words are enough.
 */
export async function translateQuery(
  text: string,
  textSearch: Pick<TextSearch, "brandsNamedIn" | "storesNamedIn" | "wordFrequency">,
) {
  const lower = text.toLowerCase();
  const tokens = tokensOf(lower);
  const language = detectLanguage(tokens) ?? languageOfThing(tokens);
  if (language === undefined) return undefined;
  const [brands, stores] = await Promise.all([
    textSearch.brandsNamedIn(text),
    textSearch.storesNamedIn(text),
  ]);
  const translated = await translateFrom(language, lower, [...brands, ...stores], textSearch);
  return translated.text === lower ? undefined : { ...translated, language };
}

/** Things and properties stay as they are written if the catalog writes them so; colours and wishes have tables in English. */
async function isKeptFor(
  { role, english }: Entry,
  source: string,
  wordFrequency: TextSearch["wordFrequency"],
): Promise<boolean> {
  if (role === "grammar" || !(await isWordOfCatalog(source, wordFrequency))) return false;
  if (role === "kind") return true;
  const isRead = [colourNames, opinionWords, qualityWords, giftWords, peopleWords].some((list) =>
    list.has(english),
  );
  return !isRead && !(await isWordOfCatalog(english, wordFrequency));
}

async function isWordOfCatalog(source: string, wordFrequency: TextSearch["wordFrequency"]): Promise<boolean> {
  return (await wordFrequency(source)) > 0;
}

/**
 * The language of most words of the text, if it has more of them than English. Some English words look foreign ("drawer
 * pulls"), so a single word must be unambiguous.
 */
function detectLanguage(tokens: readonly string[]): ForeignCode | undefined {
  const words = tokens.filter((token) => /^\p{L}/u.test(token));
  const english = words.filter(isEnglish).length;
  const [best] = foreignCodes
    .map((language) => ({ language, known: knownWords(tokens, language) }))
    .toSorted((one, other) => other.known.length - one.known.length);
  if (best === undefined || 2 * best.known.length < words.length) return undefined;
  const { language, known } = best;
  const own = known.filter(isOwn);
  if (own.length <= english) return undefined;
  const [only = ""] = own;
  const isPlain = isPlainWord(only, language) && (words.length === 1 || only.length >= longWord);
  return own.length > 1 || isPlain || /[^\0-\x7f]/u.test(only) ? language : undefined;
}

/** The language that has all words, if they name a thing: "Stuhl", "veste en cuir". Not "hose". */
function languageOfThing(tokens: readonly string[]): ForeignCode | undefined {
  return foreignCodes.find((language) => {
    if (knownWords(tokens, language).length < tokens.length) return false;
    const isClear = (word: string) =>
      isPlainWord(word, language) &&
      !isEnglish(word) &&
      (isOwn(word) || (isKind(word, language) && !isIn(englishThings, word)));
    return tokens.some((word) => isKind(word, language)) && tokens.some(isClear);
  });
}

function isOwn(word: string): boolean {
  return !isIn(doubtful, word);
}

/** Also the plural: "rings", "mugs". */
function isIn(list: ReadonlySet<string>, word: string): boolean {
  return [word, word.replace(/s$/u, ""), word.replace(/es$/u, "")].some((form) => list.has(form));
}

/** A word of the dictionary, or the plural of a thing. Of other forms too many are English: "better" is not of "Bett". */
function isPlainWord(word: string, language: ForeignCode): boolean {
  return (
    dictionaries[language].has(word) ||
    (word.endsWith("s") && isKind(word, language)) ||
    isCompound(word, language)
  );
}

function isKind(word: string, language: ForeignCode): boolean {
  return lookUp(dictionaries[language], [word], 0, language)?.entry.role === "kind";
}

function knownWords(tokens: readonly string[], language: ForeignCode): string[] {
  const known: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const length = lookUp(dictionaries[language], tokens, at, language)?.length ?? 0;
    known.push(...tokens.slice(at, at + length));
    at += Math.max(1, length);
  }
  return known;
}

function isEnglish(token: string): boolean {
  return (
    fillerWords.has(token) || prepositions.has(token) || isIn(englishWords, token) || topicWords.has(token)
  );
}
