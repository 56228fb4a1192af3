import { createSynonymEditor } from "../adapters/text-search/edit-synonyms.ts";
import type { Stores } from "./stores.ts";

/** For whoever looks at the synonyms and changes them. */
export function composeSynonymEditor({ synonymStore }: Stores) {
  return createSynonymEditor(synonymStore);
}
