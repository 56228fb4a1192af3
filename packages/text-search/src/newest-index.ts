import { ApiError } from "@product-search/core/errors.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import {
  type Language,
  type Languages,
  openIndex,
  type Snapshot,
  type SynonymTable,
  type TextIndex,
} from "@product-search/text-index";
import { languagesOfCodes, serviceLanguage } from "./service-languages.ts";
import { sourceCode } from "./to-index.ts";

/** The synonyms that apply in a language. */
export type SynonymsOf = (language: Language) => SynonymTable;

export interface NewestIndexSettings {
  /** Called once; its listener gets the newest snapshot of the index and every later one. */
  readonly subscribe: (receive: (snapshot: Snapshot) => void) => void;
  /** Those with which the index is built, if snapshots do not tell them. Default: English with a dictionary. */
  readonly languages?: Languages | undefined;
  /** Called once; its listener gets synonyms that replace those of the languages. */
  readonly synonyms?: ((receive: (synonymsOf: SynonymsOf) => void) => void) | undefined;
}

/** The newest published snapshot of the index, opened on this thread. */
export function createNewestIndex({
  subscribe,
  languages: given = [serviceLanguage],
  synonyms: subscribeToSynonyms,
}: NewestIndexSettings): () => TextIndex {
  let current: TextIndex | undefined;
  let newest: Snapshot | undefined;
  let synonyms: SynonymsOf | undefined;
  const weigh = createGcPressure();
  let used: readonly string[] | undefined;
  let languages = given;
  const open = (snapshot: Snapshot) => {
    const codes = snapshot.languages ?? given.map(({ code }) => code);
    // The same objects as long as nothing changes: readings are kept by language.
    if (used?.join() !== codes.join()) {
      const [first, ...others] = languagesOfCodes(snapshot.languages ?? []) ?? given;
      const own = (language: Language) =>
        synonyms === undefined ? language : { ...language, synonyms: synonyms(language) };
      languages = [own(first), ...others.map(own)];
      used = codes;
    }
    current = openIndex(snapshot, current, languages);
  };
  subscribeToSynonyms?.((synonymsOf) => {
    synonyms = synonymsOf;
    used = undefined;
    // The same snapshot with its caches: nothing is copied or rebuilt.
    if (newest !== undefined) open(newest);
  });
  subscribe((snapshot) => {
    weigh(snapshot);
    newest = snapshot;
    open(snapshot);
  });
  return () => {
    if (current !== undefined) return current;
    throw new ApiError("unavailable", "The search index is not ready yet. Try again in a moment.", {
      retryAfterSeconds: 2,
    });
  };
}

/** Look-ups in the words of the index, without a search. */
export function namesOf(
  index: () => TextIndex,
): Pick<
  TextSearch,
  | "findBrands"
  | "brandsNamedIn"
  | "categoriesNamedIn"
  | "storesNamedIn"
  | "attributesNamedIn"
  | "numberUnit"
  | "hasUnit"
> {
  const names = (entries: ReadonlyArray<{ name: string }>) => entries.map(({ name }) => name);
  return {
    findBrands: async (text, limit) => names(index().vocabulary.findBrands(text, limit)),
    brandsNamedIn: async (text) => names(index().vocabulary.brandsNamedIn(text)),
    categoriesNamedIn: async (text) => names(index().vocabulary.categoriesNamedIn(text)),
    storesNamedIn: async (text) => names(index().vocabulary.storesNamedIn(text)),
    attributesNamedIn: async (text) => index().vocabulary.attributesNamedIn(text),
    numberUnit: async (attribute, source) => index().vocabulary.numberUnit(attribute, sourceCode(source)),
    hasUnit: async (unit, source) => index().vocabulary.hasUnit(unit, sourceCode(source)),
  };
}

/** A collection takes tens of milliseconds. Large segments are rarely replaced and need not cause collections alone. */
const maxBytes = 8 * 2 ** 20;

/**
 * V8 does not count shared memory. A thread that gets one snapshot after another sees no reason to collect the
 * handles of former ones, so their memory is never freed. Therefore each thread with snapshots holds ordinary memory
 * for their segments. It is never touched, so it takes only address space. When it is released, the thread collects
 * both.
 */
export function createGcPressure(): (snapshot: Snapshot) => void {
  let buffers = new Map<string, Buffer>();
  return ({ segments }) => {
    buffers = new Map(
      segments.flatMap(({ key, buffer, deletions, deletedCount }) => {
        const bufferFor = (name: string, bytes: number): [string, Buffer] => [
          name,
          buffers.get(name) ?? Buffer.allocUnsafeSlow(Math.min(bytes, maxBytes)),
        ];
        const segment = bufferFor(key, buffer.byteLength);
        return deletions === undefined
          ? [segment]
          : [segment, bufferFor(`${key} ${deletedCount}`, deletions.byteLength)];
      }),
    );
  };
}
