import { fillerWords, prepositions } from "../phrases/grammar-words.ts";
import { topicWords } from "../word-lists.ts";
import ambiguous from "../words/ambiguous.json" with { type: "json" };
import { dictionaries, englishWords, type Language, languages, lookUp } from "./dictionary.ts";

const doubtful = new Set(ambiguous);

/** A single word is enough to detect a language if it is this long, or has letters that English does not have. */
const longWord = 6;

/**
 * The language of most words of the text, if it has more of them than English. Some English words look foreign ("drawer
 * pulls"), so a single word must be unambiguous.
 */
export function detectLanguage(tokens: readonly string[]): Language | undefined {
  const words = tokens.filter((token) => /^\p{L}/u.test(token));
  const english = words.filter(isEnglish).length;
  const [best] = languages
    .map((language) => ({ language, known: knownWords(tokens, language) }))
    .toSorted((one, other) => other.known.length - one.known.length);
  if (best === undefined || 2 * best.known.length < words.length) return undefined;
  const { language, known } = best;
  const own = known.filter((word) => !doubtful.has(word));
  if (own.length <= english) return undefined;
  const [only = ""] = own;
  const isPlain = dictionaries[language].has(only) && (words.length === 1 || only.length >= longWord);
  return own.length > 1 || isPlain || /[^\0-\x7f]/u.test(only) ? language : undefined;
}

function knownWords(tokens: readonly string[], language: Language): string[] {
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
    fillerWords.has(token) || prepositions.has(token) || englishWords.has(token) || topicWords.has(token)
  );
}
