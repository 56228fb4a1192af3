import type { SharedVersion } from "@product-search/core/mechanisms/share-version.ts";
import { serviceLanguages } from "@product-search/text-search/service-languages.ts";
import {
  createSynonymEditor,
  type ExplainingSynonymEditor,
} from "@product-search/text-search/synonyms/edit-synonyms.ts";
import {
  followSynonyms,
  type SynonymFollower,
} from "@product-search/text-search/synonyms/follow-synonyms.ts";
import type { Config } from "../config.ts";
import type { Stores } from "./stores/stores.ts";

export type { ExplainingSynonymEditor } from "@product-search/text-search/synonyms/edit-synonyms.ts";

export function composeSynonymEditor(
  { languages }: Pick<Config, "languages">,
  { synonymStore }: Pick<Stores, "synonymStore">,
): ExplainingSynonymEditor {
  return createSynonymEditor(synonymStore, serviceLanguages(languages));
}

/** For one of the threads that search. */
export function composeSynonymFollower(
  { synonymStore, untilChange }: Pick<Stores, "synonymStore" | "untilChange">,
  shared: SharedVersion,
  onError: (error: unknown) => void,
): Promise<SynonymFollower> {
  return followSynonyms({ store: synonymStore, untilChange: untilChange(), shared, onError });
}
