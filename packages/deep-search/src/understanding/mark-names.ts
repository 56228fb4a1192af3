import { normalise } from "@product-search/core/domain/query-understanding/phrase-table.ts";
import type { TextQuery, TextSearch } from "@product-search/core/ports/text-search.ts";
import { unlessUsedUp } from "../reading.ts";
import { colourNames, comparable } from "./colours.ts";
import type { MarkedRequest, RequestMeaning } from "./request-meaning.ts";
import { materialNames } from "./things.ts";

const storeMarker = /(?:^|\s)(?:(?:sold|offered) by|from|at|in|on|by|store|shop)(?:\s+the)?\s*$/u;

const brandMarker = /(?:^|\s)(?:made by|brand|from|by|of)\s*$/u;

/** The brands and stores that a text may name. */
export async function namesIn(request: string, textSearch: TextSearch): Promise<string[]> {
  const [brands, stores] = await Promise.all([
    textSearch.brandsNamedIn(request),
    textSearch.storesNamedIn(request),
  ]);
  return [...brands, ...stores];
}

interface Name {
  name: string;
  kind: "brands" | "stores";
}

/** Marks the brands and stores that the text names. The index knows the names. */
export async function markNames(
  { text, meanings }: MarkedRequest,
  request: string,
  textSearch: TextSearch,
  signal: AbortSignal,
): Promise<MarkedRequest> {
  const [brands, stores] = await Promise.all([
    textSearch.brandsNamedIn(request),
    textSearch.storesNamedIn(request),
  ]);
  const names: Name[] = [
    ...stores.map((name) => ({ name, kind: "stores" as const })),
    ...brands.map((name) => ({ name, kind: "brands" as const })),
  ].sort((first, second) => second.name.length - first.name.length);
  let marked: MarkedRequest = { text, meanings: [...meanings] };
  for (const name of names)
    if (name.kind === "stores" || !(await isRatherWord(name.name, marked.text, request, textSearch, signal)))
      marked = markName(marked, name);
  return marked;
}

/** A brand typed in small letters is one of so many uses of its word, or more. */
const leastShareOfWord = 0.5;

/** "A steel bottle" is no bottle by Steel, and apple juice is rarely by Apple; "by steel" and "from Apple" are. */
async function isRatherWord(
  name: string,
  text: string,
  request: string,
  textSearch: TextSearch,
  signal: AbortSignal,
): Promise<boolean> {
  const word = name.toLowerCase();
  const found = findWords(text, name);
  const isTypedSmall = new RegExp(`(?<![\\p{L}\\p{N}])${literally(word)}(?![\\p{L}\\p{N}])`, "u").test(
    request,
  );
  if (name.includes(" ") || found === undefined || !isTypedSmall) return false;
  if (brandMarker.test(text.slice(0, found.start))) return false;
  if (colourNames.has(word) || materialNames.has(word)) return true;
  const total = (query: Pick<TextQuery, "text" | "filters">): Promise<number> =>
    unlessUsedUp(async () => (await textSearch.search({ ...anyOf, ...query }, signal)).total, 0);
  const all = await total({ text: word, filters: { source: "catalog" } });
  return (await total({ text: "", filters: { source: "catalog", brands: [name] } })) < leastShareOfWord * all;
}

const anyOf = { sort: "relevance", order: "desc", offset: 0, limit: 1, everyWord: true } as const;

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&");
}

function markName({ text, meanings }: MarkedRequest, { name, kind }: Name): MarkedRequest {
  const found = findWords(text, name);
  if (found === undefined) return { text, meanings };
  const before = text.slice(0, found.start);
  // A store whose name is a common word is only meant if the text is about a store.
  if (kind === "stores" && !storeMarker.test(before) && !name.includes(" ")) return { text, meanings };
  const lead = before.replace(kind === "stores" ? storeMarker : brandMarker, " ");
  const meaning: RequestMeaning = { constraints: { [kind]: [name] } };
  return {
    text: `${lead} ⟦${meanings.length}⟧ ${text.slice(found.end)}`.replace(/\s+/g, " ").trim(),
    meanings: [...meanings, meaning],
  };
}

/** The position of the words of the name in the text, one after the other. */
function findWords(text: string, name: string): { start: number; end: number } | undefined {
  // Numbers are digits here: the brand "Umbria Nine" is read as "umbria 9".
  const wanted = comparable(normalise(name).traced.text).replaceAll(" ", "");
  const words = [...text.matchAll(/[\p{L}\p{N}\p{M}]+(?:'s(?!\p{L}))?/gu)];
  for (let first = 0; first < words.length; first++) {
    let joined = "";
    for (let last = first; last < words.length && joined.length < wanted.length; last++) {
      joined += comparable(String(words[last]?.[0]).replace(/'s$/, ""));
      const start = words[first]?.index ?? 0;
      const end = (words[last]?.index ?? 0) + String(words[last]?.[0]).length;
      if (joined === wanted && !/⟦\d*$/u.test(text.slice(0, start))) return { start, end };
    }
  }
  return undefined;
}
