import words from "./french.json" with { type: "json" };
import { createLanguage, createTermOf, type Language, spellings } from "./language.ts";

// A light stemmer for French nouns and adjectives, after J. Savoy, "Light stemming approaches for the French, Portuguese,
// German and Hungarian languages" (SAC 2006): plural and feminine only. It works on folded words, because queries often
// have no accents; the French stemmer of Snowball needs them.
const shortestStem = 3;
const asciiWord = /^[a-z]{4,}$/;

const irregular: ReadonlyMap<string, string> = new Map(
  Object.entries({
    blanc: "blanche blanches blancs",
    sec: "seche seches secs",
    frais: "fraiche fraiches",
    doux: "douce douces",
    vieux: "vieille vieilles",
    beau: "belle belles beaux bel",
    nouveau: "nouvelle nouvelles nouveaux nouvel",
    long: "longue longues longs",
    roux: "rousse rousses",
    oeil: "yeux",
    bijou: "bijoux",
    travail: "travaux",
  }).flatMap(([base, forms]) => forms.split(" ").map((form): [string, string] => [form, base])),
);

/** The stem of a folded French word. */
function frenchStem(word: string): string {
  const base = irregular.get(word);
  if (base !== undefined) return base;
  return asciiWord.test(word) ? withoutFeminine(withoutPlural(word)) : word;
}

function withoutPlural(word: string): string {
  if (word.endsWith("eaux")) return word.slice(0, -1);
  if (word.endsWith("aux")) return `${word.slice(0, -2)}l`;
  if (/[^s]s$|[eo]ux$/.test(word)) return word.slice(0, -1);
  return word;
}

function withoutFeminine(word: string): string {
  let text = word.replace(/ive$/, "if").replace(/eus?e$/, "eu");
  while (text.endsWith("e") && text.length > shortestStem) text = text.slice(0, -1);
  return text.length > shortestStem ? text.replace(/([^aeiouy])\1$/, "$1") : text;
}

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

/** The included French data: light stems, word lists and synonyms. */
export const french: Language = createLanguage(words, {
  code: "fr",
  termOf: createTermOf(sameTerm, frenchStem),
  prepare: (text) => text.replace(elidedArticle, " "),
  names: {
    qualifiers: /[,(|]| [-–—] | (?:avec|pour|en|de|du|des|à|a|au|aux|sans|sur) | d['’]/i,
    thingFirst: true,
  },
  letters: /[àâçèêëîïôùûœ]/,
});
