import { termOf } from "../text/term.ts";
import lists from "./english-lists.json" with { type: "json" };
import things from "./english-things.json" with { type: "json" };
import type { WordLists } from "./word-lists.ts";
import { wordSet } from "./word-set.ts";

const functionWords = wordSet(
  "a an and any are as at be by for from in into is it its my of on or our some that the these this those to with your",
);

const linkingWords = wordSet("for with without under from by of on that to near against");

const words = (...parts: readonly (readonly string[])[]) => wordSet(parts.flat().join(" "));

const { colours, materials, shapes, people, animals, places, light } = lists;

/** Everyday words for what shops sell. */
const englishThings = words(...Object.values(things));

export const englishLists: WordLists = {
  functionWords,
  linkingWords,
  lightWords: words(light),
  attributeWords: words(colours, materials, shapes, people, animals, places),
  useWords: words(people, places),
  definingWords: words(animals),
  thingTerms: new Set(Array.from(englishThings, termOf)),
  thingWords: englishThings,
};
