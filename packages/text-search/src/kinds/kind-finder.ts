import type { KindFinder, MeantKinds, NamedKind } from "@product-search/core/ports/kind-finder.ts";
import {
  type CatalogKind,
  chooseKinds,
  closestKinds,
  isFixedName,
  namedThing,
  openWordMeaning,
  type WordMeaning,
} from "@product-search/word-meaning";
import type { KindsOfCatalog } from "./follow-kinds.ts";

/** Finds kinds among the newest ones that `followKinds` published. `subscribe` is called once. */
export function createKindFinder(subscribe: (receive: (kinds: KindsOfCatalog) => void) => void): KindFinder {
  let newest: KindsOfCatalog | undefined;
  let opened: { readonly words: SharedArrayBuffer; readonly meaning: WordMeaning } | undefined;
  let levels: ReadonlySet<string> = new Set();
  let levelsOf: KindsOfCatalog["table"] | undefined;
  subscribe((kinds) => {
    newest = kinds;
  });
  const meaningOf = (words: SharedArrayBuffer): WordMeaning => {
    if (opened?.words !== words) opened = { words, meaning: openWordMeaning(words) };
    return opened.meaning;
  };
  return {
    kindsMeant(text) {
      if (newest === undefined) return undefined;
      const chosen = chooseKinds(meaningOf(newest.words), newest.table, text);
      return chosen && toMeantKinds(chosen);
    },
    kindsNear(text, limit) {
      if (newest === undefined) return [];
      const { words, table } = newest;
      if (levelsOf !== table) {
        levelsOf = table;
        levels = new Set(table.kinds.flatMap(({ path }) => path));
      }
      const isLevel = ({ category }: CatalogKind) => levels.has(category);
      return closestKinds(meaningOf(words), table, text, limit, isLevel).map(({ kind, score }) => ({
        kind: toNamedKind(kind),
        score,
      }));
    },
    namedThing: (text) => newest && namedThing(meaningOf(newest.words), text),
    isFixedName: (text) => newest !== undefined && isFixedName(meaningOf(newest.words), text),
  };
}

function toMeantKinds({ kinds, closest, ...rest }: ReturnType<typeof chooseKinds> & object): MeantKinds {
  return { ...rest, kinds: kinds.map(toNamedKind), closest: closest.map(toNamedKind) };
}

/** A category is all of its products; another name must be in them. */
function toNamedKind({ name, category }: CatalogKind): NamedKind {
  return { name, category, words: name === category ? "" : name };
}
