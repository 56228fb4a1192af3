import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { colourNames } from "../colours.ts";
import { giftWords, opinionWords, qualityWords } from "../word-lists.ts";
import { detectLanguage } from "./detect-language.ts";
import { dictionaries, type Entry, type Language, lookUp, tokensOf } from "./dictionary.ts";

/** A request translated into English, as far as its words are known. */
export interface Translated {
  text: string;
  /** The original words by their English translation: a catalog in that language contains them. */
  typed: ReadonlyMap<string, string>;
  /** Undefined for English. */
  language?: Language | undefined;
}

/**
 * Translates everyday words of German, French and Spanish requests into English, which the other tables read. Unknown words
 * stay unchanged, and so does a thing if the catalog itself uses the foreign word.
 */
export async function translate(
  text: string,
  names: readonly string[],
  { wordFrequency }: Pick<TextSearch, "wordFrequency">,
): Promise<Translated> {
  const words = tokensOf(text);
  const language = detectLanguage(words);
  const typed = new Map<string, string>();
  if (language === undefined) return { text, typed };
  const dictionary = dictionaries[language];
  const isName = new Set(names.flatMap((name) => tokensOf(name.toLowerCase())));
  const translated: string[] = [];
  let followsKind = false;
  for (let at = 0; at < words.length; ) {
    const word = words[at] ?? "";
    const found = isName.has(word) ? undefined : lookUp(dictionary, words, at, language);
    const source = words.slice(at, at + (found?.length ?? 1)).join(" ");
    at += found?.length ?? 1;
    const entry = found?.entry;
    const isKept = entry === undefined || (await isKeptFor(entry, source, wordFrequency));
    const target = isKept ? source : entry.english;
    // "Zapatos impermeables": an adjective follows its noun.
    if (followsKind && entry?.role === "property" && language !== "de" && !colourNames.has(target))
      translated.push("with");
    translated.push(target);
    if (!isKept && entry.role !== "grammar") typed.set(target, source);
    followsKind = entry?.role === "kind";
  }
  return { text: translated.join(" "), typed, language };
}

/** Things and properties stay as they are written if the catalog writes them so; colours and wishes have tables in English. */
async function isKeptFor(
  { role, english }: Entry,
  source: string,
  wordFrequency: TextSearch["wordFrequency"],
): Promise<boolean> {
  if (role === "grammar" || !(await isWordOfCatalog(source, wordFrequency))) return false;
  if (role === "kind") return true;
  const isRead = [colourNames, opinionWords, qualityWords, giftWords].some((list) => list.has(english));
  return !isRead && !(await isWordOfCatalog(english, wordFrequency));
}

async function isWordOfCatalog(source: string, wordFrequency: TextSearch["wordFrequency"]): Promise<boolean> {
  return (await wordFrequency(source)) > 0;
}
