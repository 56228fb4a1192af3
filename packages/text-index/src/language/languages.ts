import frenchWords from "./french.json" with { type: "json" };
import germanWords from "./german.json" with { type: "json" };
import { createLanguage, createTermOf, english, foldedWords, type Language, spellings } from "./language.ts";
import spanishWords from "./spanish.json" with { type: "json" };

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
  return asciiWord.test(word) ? withoutFeminine(withoutFrenchPlural(word)) : word;
}

function withoutFrenchPlural(word: string): string {
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

const frenchSpellings = spellings({
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
const french: Language = createLanguage(frenchWords, {
  code: "fr",
  termOf: createTermOf(frenchSpellings, frenchStem),
  prepare: (text) => text.replace(elidedArticle, " "),
  names: {
    qualifiers: /[,(|]| [-–—] | (?:avec|pour|en|de|du|des|à|a|au|aux|sans|sur) | d['’]/i,
    thingFirst: true,
  },
  letters: /[àâçèêëîïôùûœ]/,
});

// The German stemmer of Snowball, https://snowballstem.org/algorithms/german/stemmer.html, for folded words: it ends by
// removing umlauts, so only "ü" between vowels is read differently, which is rare. "ae" for "ä" is read as such.
const vowel = "[aeiouy]";
const region = new RegExp(`^[^aeiouy]*${vowel}+[^aeiouy]`);
const asciiGermanWord = /^[a-z]{3,}$/;

/** The stem of a folded German word. */
function germanStem(word: string): string {
  if (!asciiGermanWord.test(word)) return word;
  const text = prelude(word);
  const start = region.exec(text)?.[0].length ?? text.length;
  const r1 = Math.max(shortestStem, start);
  const r2 = start + (region.exec(text.slice(start))?.[0].length ?? text.length);
  return dropDerivation(dropComparison(dropInflection(text, r1), r1), r1, r2).toLowerCase();
}

/** Marks u and y between vowels, which are consonants there, and reads the spellings of umlauts. */
function prelude(word: string): string {
  return word
    .replace(/(?<=[aeiouy])[uy](?=[aeiouy])/g, (letter) => letter.toUpperCase())
    .replace(/qu|([aou])e/g, (both, letter: string | undefined) => letter ?? both);
}

/** The text without the ending if that is in the region; undefined if the text does not end so. */
function without(text: string, ending: RegExp, region: number): string | undefined {
  const found = ending.exec(text);
  return found === null || found.index < region ? undefined : text.slice(0, found.index);
}

function dropInflection(text: string, r1: number): string {
  const [ending] = /(?:erinnen|erin|ern|em|er|en|es|e|lns|ln|s)$/.exec(text) ?? [];
  if (ending === undefined || text.length - ending.length < r1) return text;
  const base = text.slice(0, -ending.length);
  if (ending === "em") return base.endsWith("syst") ? text : base;
  if (ending === "ln" || ending === "lns") return `${base}l`;
  if (ending === "s") return /[bdfghklmnrt]$/.test(base) ? base : text;
  return /^e[ns]?$/.test(ending) && base.endsWith("niss") ? base.slice(0, -1) : base;
}

function dropComparison(text: string, r1: number): string {
  const plain = without(text, /(?:en|er|est)$/, r1);
  if (plain !== undefined) return plain;
  const st = without(text, /st$/, r1);
  if (st !== undefined) return /.{3}[bdfghklmnt]$/.test(st) ? st : text;
  const et = without(text, /et$/, r1);
  if (et === undefined || !/[dfgklmnrstUza]$/.test(et)) return text;
  return /(?:geordn|intern|plan|tick|tr)$/.test(et) ? text : et;
}

function dropDerivation(text: string, r1: number, r2: number): string {
  const noun = without(text, /(?:end|ung)$/, r2);
  if (noun !== undefined) {
    const ig = without(noun, /ig$/, r2);
    return ig === undefined || ig.endsWith("e") ? noun : ig;
  }
  const adjective = without(text, /(?:isch|ig|ik)$/, r2);
  if (adjective !== undefined) return adjective.endsWith("e") ? text : adjective;
  const abstract = without(text, /(?:lich|heit)$/, r2);
  if (abstract !== undefined) return without(abstract, /e[rn]$/, r1) ?? abstract;
  const keit = without(text, /keit$/, r2);
  return keit === undefined ? text : (without(keit, /(?:lich|ig)$/, r2) ?? keit);
}

const germanSpellings = spellings({
  in: "zoll",
  mm: "millimeter",
  cm: "zentimeter centimeter",
  m: "meter metern",
  ml: "milliliter",
  l: "liter litern",
  g: "gramm",
  kg: "kilogramm kilo",
  // Not the book.
  buche: "buche",
  w: "watt",
  v: "volt",
  grau: "graue graues grauer grauen grauem",
});

/** Modifiers in the names of products that are rarely written alone. */
const firstParts = foldedWords(`
  arbeits ast back bade beistell blumen brat brom brot bügel büro computer damen dreh einbau einkaufs erd ess falt fahrrad flaschen freizeit
  frucht früh garten gaming gäste gelenk geschirr glas grill häng hand haus haushalts herbst herren him holz hoch hühner jagd jogging kaffee
  kinder klapp klein knoblauch koch kräuter küchen kuchen kugel kühl lade lauf lauflern leder lern lese lösch luft mädchen jungen mess
  mikro mini mixer mund nacht näh nudel ohr oster outdoor papier party pfannen pflege puder rasier rauch regen reise roll salat
  sammel schlaf schlag schmuck schneid schnell schnür schreib schreibtisch schutz schwimm sitz sommer spiel spül sport stand
  steck steh stiel strand stütz streich tee teig tisch trage trag trekking trink trocken turn übergangs umhänge unter vor
  wand wander wärme wasch wasser wein werk wickel wind winter woll wohn zahn zeichen zier zitronen
`);

/** The included German data: Snowball stems, compounds, word lists and synonyms. */
export const german: Language = createLanguage(germanWords, {
  code: "de",
  termOf: createTermOf(germanSpellings, germanStem),
  names: {
    qualifiers: /[,(|]| [-–—] | (?:mit|für|fuer|in|aus|von|ohne|zum|zur|im) /i,
    thingFirst: false,
  },
  compounds: {
    links: ["", "s", "es", "n", "en", "er", "e", "ens"],
    firstParts: new Set(firstParts),
    doubtfulHeads: new Set(
      foldedWords("tisch reich voll bar arm rad tee ring schal decke mittel stand halt"),
    ),
    opaque: foldedWords(
      "handschuh glühbirn schmetterling kartoffel fahrkart wasserhahn eichhorn seepferd meerschwein",
    ).map(germanStem),
  },
  letters: /[äöüß]/,
});

// A light stemmer for Spanish nouns and adjectives, after J. Savoy, "Report on CLEF-2001 experiments" (2002): plural and
// gender only. It works on folded words, because queries often have no accents; the Spanish stemmer of Snowball needs them.

/** The stem of a folded Spanish word. */
function spanishStem(word: string): string {
  return asciiWord.test(word) ? withoutVowel(withoutSpanishPlural(word)) : word;
}

function withoutSpanishPlural(word: string): string {
  if (word.endsWith("ces")) return `${word.slice(0, -3)}z`;
  return /[aeiou]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutVowel(word: string): string {
  return /[aeo]$/.test(word) && word.length > shortestStem ? word.slice(0, -1) : word;
}

const spanishSpellings = spellings({
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
const spanish: Language = createLanguage(spanishWords, {
  code: "es",
  termOf: createTermOf(spanishSpellings, spanishStem),
  names: {
    qualifiers: /[,(|]| [-–—] | (?:con|para|en|de|del|sin|a) /i,
    thingFirst: true,
  },
  letters: /[ñ¿¡áíóú]/,
});

/** The included languages. */
export const includedLanguages = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
} as const satisfies Readonly<Record<string, Language>>;
