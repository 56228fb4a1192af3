import { createLanguage, createTermOf, type Language, spellings } from "./language.ts";
import words from "./spanish.json" with { type: "json" };

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

/** The included Spanish data: light stems, word lists and synonyms. */
export const spanish: Language = createLanguage(words, {
  code: "es",
  termOf: createTermOf(sameTerm, spanishStem),
  names: {
    qualifiers: /[,(|]| [-–—] | (?:con|para|en|de|del|sin|a) /i,
    thingFirst: true,
  },
  letters: /[ñ¿¡áíóú]/,
});
