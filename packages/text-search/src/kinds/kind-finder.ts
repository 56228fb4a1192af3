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
  let opened: WordMeaning | undefined;
  let levels: ReadonlySet<string> = new Set();
  let levelsOf: KindsOfCatalog["table"] | undefined;
  subscribe((kinds) => {
    newest = kinds;
  });
  // Once: the memory is the same for every catalog, but each message has a new handle of it.
  const meaningOf = ({ memory }: KindsOfCatalog): WordMeaning => (opened ??= openWordMeaning(memory));
  return {
    kindsMeant(text) {
      if (newest === undefined) return undefined;
      const chosen = chooseKinds(meaningOf(newest), newest.table, text);
      return chosen && toMeantKinds(chosen);
    },
    kindsNear(text, limit) {
      if (newest === undefined) return [];
      const { table } = newest;
      if (levelsOf !== table) {
        levelsOf = table;
        levels = new Set(table.kinds.flatMap(({ path }) => path));
      }
      const isLevel = ({ category }: CatalogKind) => levels.has(category);
      return closestKinds(meaningOf(newest), table, text, limit, isLevel).map(({ kind, score }) => ({
        kind: toNamedKind(kind),
        score,
      }));
    },
    namedThing: (text) => newest && namedThing(meaningOf(newest), text),
    isFixedName: (text) => newest !== undefined && isFixedName(meaningOf(newest), text),
  };
}

function toMeantKinds({ kinds, closest, ...rest }: ReturnType<typeof chooseKinds> & object): MeantKinds {
  return { ...rest, kinds: kinds.map(toNamedKind), closest: closest.map(toNamedKind) };
}

/** A category is all of its products; another name must be in them. */
function toNamedKind({ name, category }: CatalogKind): NamedKind {
  return { name, category, words: name === category ? "" : name };
}
