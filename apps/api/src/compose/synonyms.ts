import { createSynonymEditor, type SynonymEditor } from "../adapters/text-search/synonyms/edit-synonyms.ts";
import { followSynonyms, type SynonymFollower } from "../adapters/text-search/synonyms/follow-synonyms.ts";
import type { Stores } from "./stores/stores.ts";

export type { SynonymEditor } from "../adapters/text-search/synonyms/edit-synonyms.ts";

export function composeSynonymEditor({ synonymStore }: Pick<Stores, "synonymStore">): SynonymEditor {
  return createSynonymEditor(synonymStore);
}

/** For a thread that searches. */
export function composeSynonymFollower(
  { synonymStore }: Pick<Stores, "synonymStore">,
  onError: (error: unknown) => void,
): Promise<SynonymFollower> {
  return followSynonyms({ store: synonymStore, onError });
}
