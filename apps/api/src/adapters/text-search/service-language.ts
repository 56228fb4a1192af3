import { readFileSync } from "node:fs";
import { createDictionary, english, type Language } from "@product-search/text-index";

const file = (name: string) => readFileSync(new URL(name, import.meta.resolve("dictionary-en")), "utf8");

/** English with a dictionary, which is read when a query first has a word that the catalog does not have. */
export const serviceLanguage: Language = {
  ...english,
  dictionary: createDictionary(() => ({ aff: file("index.aff"), dic: file("index.dic") })),
};
