import { negation, price } from "@product-search/core/domain/languages/languages.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { unlessUsedUp } from "../reading.ts";
import { colourNames, comparable } from "./colours.ts";
import { englishWords } from "./foreign/translate.ts";
import { fillerWords, foreignFillers, prepositions } from "./phrases/grammar-words.ts";
import { materialNames, type ThingDeps } from "./things.ts";
import {
  audienceWords,
  enthusiastWords,
  giftWords,
  opinionWords,
  peopleWords,
  qualityWords,
  topicWords,
} from "./word-lists.ts";

const shortest = 3;

/** Words of requests that no product needs to have. Only these are guessed from a misspelling by rules. */
const requestWords = [
  ..."cheap cheapest cheaper expensive brands kinds price rated discount stock looking please colour many".split(
    " ",
  ),
  ...[...prepositions].filter(({ length }) => length > shortest),
];

const known: readonly ReadonlySet<string>[] = [
  fillerWords,
  prepositions,
  foreignFillers,
  colourNames,
  materialNames,
  opinionWords,
  qualityWords,
  giftWords,
  peopleWords,
  enthusiastWords,
  audienceWords,
  englishWords,
  new Set(
    [...Object.values(price), ...Object.values(negation)]
      .flatMap(({ en }) => en)
      .flatMap((phrase) => phrase.split(" ")),
  ),
];
const knownForms: ReadonlySet<string> = new Set(requestWords.map(comparable));

/** Each unknown word costs a search. */
const maxUnknown = 4;

export interface Spelling {
  text: string;
  /** The words as they were typed, by their correction. */
  typed: ReadonlyMap<string, string>;
}

/** Replaces words that neither the catalog nor the rules know by the nearest that they know. */
export async function correctSpelling(
  text: string,
  names: readonly string[],
  { textSearch, kindFinder }: Pick<ThingDeps, "textSearch" | "kindFinder">,
  signal: AbortSignal,
): Promise<Spelling> {
  const typed = new Map<string, string>();
  const ofNames = new Set(names.flatMap((name) => comparable(name).split(" ")));
  const words = new Set(text.match(/(?<![\p{L}\d⟦'-])\p{L}{3,}(?![\p{L}\d⟧'-])/gu));
  let unknown = 0;
  for (const word of words) {
    if (unknown === maxUnknown) break;
    if (word.length < shortest || isKnown(word) || ofNames.has(comparable(word))) continue;
    if ((await textSearch.wordFrequency(word)) > 0) continue;
    unknown += 1;
    // "Belt" is a word of its own, though no product has it.
    const isWord = kindFinder === undefined || kindFinder.kindsNear(word, 1).length > 0;
    const guess = isWord ? undefined : requestWords.find((other) => isNear(word, other));
    const corrected = guess ?? (await inCatalog(word, textSearch, signal));
    if (corrected !== undefined) typed.set(corrected, word);
  }
  const byTyped = new Map(Array.from(typed, ([corrected, word]) => [word, corrected]));
  return { text: text.replace(/\p{L}+/gu, (word) => byTyped.get(word) ?? word), typed };
}

function isKnown(word: string): boolean {
  const form = comparable(word);
  return topicWords.has(form) || knownForms.has(form) || known.some((list) => list.has(word));
}

async function inCatalog(
  word: string,
  { search }: Pick<TextSearch, "search">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const query = {
    text: word,
    filters: { source: "catalog" },
    sort: "relevance",
    offset: 0,
    limit: 1,
  } as const;
  const hits = await unlessUsedUp(() => search(query, signal), undefined);
  const corrected = hits?.total ? hits.correctedText : undefined;
  return corrected?.startsWith(word[0] ?? "") ? corrected : undefined;
}

/** One letter more, less, other, or two letters exchanged, but the same first letter. */
function isNear(word: string, other: string): boolean {
  if (word[0] !== other[0] || Math.abs(word.length - other.length) > 1) return false;
  let at = 0;
  while (at < word.length && word[at] === other[at]) at += 1;
  const rests: readonly (readonly [number, number])[] = [
    [at + 1, at],
    [at, at + 1],
    [at + 1, at + 1],
  ];
  if (rests.some(([mine, its]) => word.slice(mine) === other.slice(its))) return true;
  const isSwapped = word[at] === other[at + 1] && word[at + 1] === other[at];
  return isSwapped && word.slice(at + 2) === other.slice(at + 2);
}
