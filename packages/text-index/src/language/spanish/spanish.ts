import { noDictionary } from "../dictionary.ts";
import { createTermOf, spellings } from "../inflect.ts";
import type { Language } from "../language.ts";
import nearSynonyms from "../near-synonyms.json" with { type: "json" };
import { compileSynonyms, lazySynonyms, parseSynonyms } from "../synonyms.ts";
import { createWordLists } from "../word-lists.ts";
import { spanishStem } from "./spanish-stem.ts";
import synonymLines from "./spanish-synonyms.json" with { type: "json" };
import words from "./spanish-words.json" with { type: "json" };

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
