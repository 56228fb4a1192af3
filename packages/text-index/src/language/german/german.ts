import { noDictionary } from "../dictionary.ts";
import { createTermOf, foldedWords, spellings } from "../inflect.ts";
import type { Language } from "../language.ts";
import nearSynonyms from "../near-synonyms.json" with { type: "json" };
import { compileSynonyms, lazySynonyms, parseSynonyms } from "../synonyms.ts";
import { createWordLists } from "../word-lists.ts";
import { germanStem } from "./german-stem.ts";
import synonymLines from "./german-synonyms.json" with { type: "json" };
import words from "./german-words.json" with { type: "json" };

const germanSynonyms = synonymLines.join("\n");

const sameTerm = spellings({
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

const termOf = createTermOf(sameTerm, germanStem);

/** Modifiers in the names of products that are rarely written alone. */
const firstParts = foldedWords(`
  arbeits back bade beistell blumen brat brot bügel büro computer damen dreh einbau einkaufs ess falt fahrrad flaschen freizeit
  frucht früh garten gaming gäste gelenk geschirr glas grill häng hand haus haushalts herbst herren holz hoch jagd jogging kaffee
  kinder klapp klein knoblauch koch küchen kuchen kugel kühl lade lauf lauflern leder lern lese lösch luft mädchen jungen mess
  mikro mini mixer mund nacht näh nudel ohr outdoor papier party pfannen pflege puder rasier rauch regen reise roll salat
  sammel schlaf schlag schmuck schneid schnell schnür schreib schreibtisch schutz schwimm sitz sommer spiel spül sport stand
  steck steh stiel strand stütz streich tee teig tisch trage trag trekking trink trocken turn übergangs umhänge unter vor
  wand wander wärme wasch wasser wein werk wickel wind winter woll wohn zahn zeichen zier zitronen
`);

/** The included German data: Snowball stems, compounds, word lists and synonyms. */
export const german: Language = {
  ...createWordLists(words, germanStem),
  code: "de",
  termOf,
  names: {
    qualifiers: /[,(|]| [-–—] | (?:mit|für|fuer|in|aus|von|ohne|zum|zur|im) /i,
    thingFirst: false,
  },
  compounds: {
    links: ["", "s", "es", "n", "en", "er", "e", "ens"],
    firstParts: new Set(firstParts),
    doubtfulHeads: new Set(
      foldedWords("tisch reich voll bar arm rad tee ring schal decke ofen mittel stand halt"),
    ),
    opaque: foldedWords(
      "handschuh glühbirn schmetterling kartoffel fahrkart wasserhahn eichhorn seepferd meerschwein",
    ).map(germanStem),
  },
  letters: /[äöüß]/,
  dictionary: noDictionary,
  synonyms: lazySynonyms(() => compileSynonyms(parseSynonyms(germanSynonyms), termOf)),
  nearSynonyms: lazySynonyms(() => compileSynonyms(parseSynonyms(nearSynonyms.de.join("\n")), termOf)),
  synonymRules: germanSynonyms,
};
