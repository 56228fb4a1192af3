import { fold } from "@product-search/core/domain/fold.ts";
import type { ProductSource } from "@product-search/core/domain/product.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";

/** A text that names a store, and what else it says. */
export interface StoreInText {
  readonly store: string;
  readonly rest: string;
}

/** "At Nord", "from the Nord", in four languages. */
const beforeStore: ReadonlySet<string> = new Set(["at", "from", "bei", "von", "chez", "en", "de"]);
const articles: ReadonlySet<string> = new Set(["the", "der", "dem", "la", "le", "el"]);

/**
 * The store that a text asks for: "lamp from Nord", or nothing but its name. Elsewhere a store's name is no more than words: a
 * lantern is not all of Lantern Market. The rest must name a thing: "greetings from Paris" names no store.
 */
export async function readStore(
  textSearch: Pick<TextSearch, "search" | "storesNamedIn">,
  text: string,
  source: ProductSource | undefined,
  signal: AbortSignal,
): Promise<StoreInText | undefined> {
  for (const store of await textSearch.storesNamedIn(text)) {
    const rest = withoutStore(text, store);
    if (rest === undefined) continue;
    if (rest === "" || (await namesThing(textSearch, rest, source, signal))) return { store, rest };
  }
  return undefined;
}

async function namesThing(
  textSearch: Pick<TextSearch, "search">,
  text: string,
  source: ProductSource | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const filters = source === undefined ? {} : { source };
  const query = { text, filters, sort: "relevance", offset: 0, limit: 0 } as const;
  return (await textSearch.search(query, signal)).sourceHas === "thing";
}

/** Undefined if the text does not ask for the store. */
function withoutStore(text: string, store: string): string | undefined {
  const words = text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const folded = words.map(foldedWord);
  const name = store
    .split(/\s+/u)
    .map(foldedWord)
    .filter((word) => word !== "");
  const at = folded.findIndex((_, place) => name.every((word, i) => folded[place + i] === word));
  if (at < 0) return undefined;
  if (name.length === words.length) return "";
  const link = articles.has(folded[at - 1] ?? "") ? at - 2 : at - 1;
  if (!beforeStore.has(folded[link] ?? "")) return undefined;
  return [...words.slice(0, link), ...words.slice(at + name.length)].join(" ");
}

function foldedWord(word: string): string {
  return fold(word).replace(/[^\p{L}\p{N}]+/gu, "");
}
