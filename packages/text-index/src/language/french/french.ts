import { noDictionary } from "../dictionary.ts";
import { createTermOf, spellings } from "../inflect.ts";
import type { Language } from "../language.ts";
import nearSynonyms from "../near-synonyms.json" with { type: "json" };
import { compileSynonyms, lazySynonyms, parseSynonyms } from "../synonyms.ts";
import { createWordLists } from "../word-lists.ts";
import { frenchStem } from "./french-stem.ts";
import synonymLines from "./french-synonyms.json" with { type: "json" };
import words from "./french-words.json" with { type: "json" };

const frenchSynonyms = synonymLines.join("\n");

const sameTerm = spellings({
  in: "pouce pouces",
  mm: "millimètre millimètres",
  cm: "centimètre centimètres",
  m: "mètre mètres",
  ml: "millilitre millilitres",
  l: "litre litres",
  g: "gramme grammes",
  kg: "kilogramme kilogrammes kilo kilos",
});
const elidedArticle = /(?<![\p{L}])(?:[cdjlmnst]|qu)['’](?=\p{L})/giu;

const termOf = createTermOf(sameTerm, frenchStem);

/** The included French data: light stems, word lists and synonyms. */
export const french: Language = {
  ...createWordLists(words, frenchStem),
  code: "fr",
  termOf,
  prepare: (text) => text.replace(elidedArticle, " "),
  names: {
    qualifiers: /[,(|]| [-–—] | (?:avec|pour|en|de|du|des|à|a|au|aux|sans|sur) | d['’]/i,
    thingFirst: true,
  },
  letters: /[àâçèêëîïôùûœ]/,
  dictionary: noDictionary,
  synonyms: lazySynonyms(() => compileSynonyms(parseSynonyms(frenchSynonyms), termOf)),
  nearSynonyms: lazySynonyms(() => compileSynonyms(parseSynonyms(nearSynonyms.fr.join("\n")), termOf)),
  synonymRules: frenchSynonyms,
};
