import { compileSynonyms, type SynonymTable } from "@product-search/text-index";
import type { SynonymStore } from "../../ports/synonym-store.ts";
import { rulesInForce } from "./synonym-rules.ts";

/** Changes are looked for at most so often, when something is searched. */
const lookEveryMs = 1000;

/**
 * Asks the store for changes of synonyms, whichever process made them. The function it returns gives the new table when there is one.
 * While the store cannot be read, searches go on with the synonyms they have.
 */
export function followSynonyms(
  store: Pick<SynonymStore, "version" | "edits">,
  now: () => number,
): () => Promise<SynonymTable | undefined> {
  let version = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (now() - lookedAtMs < lookEveryMs) return undefined;
    lookedAtMs = now();
    try {
      if ((await store.version()) === version) return undefined;
      const edits = await store.edits();
      version = edits.version;
      return compileSynonyms(rulesInForce(edits).values());
    } catch {
      return undefined;
    }
  };
}
