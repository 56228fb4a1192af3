import type { SharedVersion } from "@product-search/core/mechanisms/versions.ts";
import { readLanguages } from "@product-search/text-search/catalog-languages.ts";
import {
  createSynonymEditor,
  type ExplainingSynonymEditor,
} from "@product-search/text-search/synonyms/edit-synonyms.ts";
import {
  followSynonyms,
  type SynonymFollower,
} from "@product-search/text-search/synonyms/follow-synonyms.ts";
import type { Config } from "../config.ts";
import { chosenLanguages } from "./search/languages.ts";
import type { Stores } from "./stores/stores.ts";

export type { ExplainingSynonymEditor } from "@product-search/text-search/synonyms/edit-synonyms.ts";

export function composeSynonymEditor(
  config: Pick<Config, "languages">,
  { synonymStore, searchedCatalog }: Pick<Stores, "synonymStore" | "searchedCatalog">,
): ExplainingSynonymEditor {
  return createSynonymEditor(synonymStore, () => readLanguages(chosenLanguages(config), searchedCatalog));
}

/** For one of the threads that search. */
export function composeSynonymFollower(
  { synonymStore, untilChange }: Pick<Stores, "synonymStore" | "untilChange">,
  shared: SharedVersion,
  onError: (error: unknown) => void,
): Promise<SynonymFollower> {
  return followSynonyms({ store: synonymStore, untilChange: untilChange(), shared, onError });
}
