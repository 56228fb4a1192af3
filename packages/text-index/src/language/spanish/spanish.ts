import { noDictionary } from "../dictionary.ts";
import { createTermOf, spellings } from "../inflect.ts";
import type { Language } from "../language.ts";
import nearSynonyms from "../near-synonyms.json" with { type: "json" };
import { compileSynonyms, lazySynonyms, parseSynonyms } from "../synonyms.ts";
import { createWordLists } from "../word-lists.ts";
import synonymLines from "./spanish-synonyms.json" with { type: "json" };
import words from "./spanish-words.json" with { type: "json" };

// A light stemmer for Spanish nouns and adjectives, after J. Savoy, "Report on CLEF-2001 experiments" (2002): plural and
// gender only. It works on folded words, because queries often have no accents; the Spanish stemmer of Snowball needs them.
const shortestStem = 3;
const asciiWord = /^[a-z]{4,}$/;

/** The stem of a folded Spanish word. */
function spanishStem(word: string): string {
  return asciiWord.test(word) ? withoutVowel(withoutPlural(word)) : word;
}

function withoutPlural(word: string): string {
  if (word.endsWith("ces")) return `${word.slice(0, -3)}z`;
  return /[aeiou]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutVowel(word: string): string {
  return /[aeo]$/.test(word) && word.length > shortestStem ? word.slice(0, -1) : word;
}

const spanishSynonyms = synonymLines.join("\n");

const sameTerm = spellings({
  in: "pulgada pulgadas",
  mm: "milímetro milímetros",
  cm: "centímetro centímetros",
  m: "metro metros",
  ml: "mililitro mililitros",
  l: "litro litros",
  g: "gramo gramos",
  kg: "kilogramo kilogramos kilo kilos",
  w: "vatio vatios",
});

const termOf = createTermOf(sameTerm, spanishStem);

/** The included Spanish data: light stems, word lists and synonyms. */
export const spanish: Language = {
  ...createWordLists(words, spanishStem),
  code: "es",
  termOf,
  names: {
    qualifiers: /[,(|]| [-–—] | (?:con|para|en|de|del|sin|a) /i,
    thingFirst: true,
  },
  letters: /[ñ¿¡áíóú]/,
  dictionary: noDictionary,
  synonyms: lazySynonyms(() => compileSynonyms(parseSynonyms(spanishSynonyms), termOf)),
  nearSynonyms: lazySynonyms(() => compileSynonyms(parseSynonyms(nearSynonyms.es.join("\n")), termOf)),
  synonymRules: spanishSynonyms,
};
