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
export function frenchStem(word: string): string {
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
