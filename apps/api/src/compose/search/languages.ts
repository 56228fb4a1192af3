import {
  type ChosenLanguages,
  languagesOfCatalog,
  readLanguages,
} from "@product-search/text-search/catalog-languages.ts";
import { serviceLanguages } from "@product-search/text-search/service-languages.ts";
import type { Config } from "../../config.ts";
import type { Stores } from "../stores/stores.ts";

/** Those that the operator names, else those of the catalog's own texts. */
export function chosenLanguages({ languages }: Pick<Config, "languages">): ChosenLanguages {
  return languages === undefined ? languagesOfCatalog : serviceLanguages(languages);
}

/** Codes, the language of most products first. */
export async function composeLanguages(
  config: Pick<Config, "languages">,
  { catalogStore }: Pick<Stores, "catalogStore">,
): Promise<string[]> {
  return (await readLanguages(chosenLanguages(config), catalogStore)).map(({ code }) => code);
}
