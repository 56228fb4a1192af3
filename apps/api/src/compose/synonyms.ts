import { serviceLanguages } from "../adapters/text-search/service-languages.ts";
import { createSynonymEditor, type SynonymEditor } from "../adapters/text-search/synonyms/edit-synonyms.ts";
import { followSynonyms, type SynonymFollower } from "../adapters/text-search/synonyms/follow-synonyms.ts";
import type { SharedVersion } from "../adapters/text-search/synonyms/share-version.ts";
import type { Config } from "../config.ts";
import type { Stores } from "./stores/stores.ts";

export type { SynonymEditor } from "../adapters/text-search/synonyms/edit-synonyms.ts";

export function composeSynonymEditor(
  { languages }: Pick<Config, "languages">,
  { synonymStore }: Pick<Stores, "synonymStore">,
): SynonymEditor {
  return createSynonymEditor(synonymStore, serviceLanguages(languages));
}

/** For one of the threads that search. */
export function composeSynonymFollower(
  { synonymStore }: Pick<Stores, "synonymStore">,
  shared: SharedVersion,
  onError: (error: unknown) => void,
): Promise<SynonymFollower> {
  return followSynonyms({ store: synonymStore, shared, onError });
}
