import { createRuleTable, type RuleTable } from "@product-search/core/domain/merchandising/rule-table.ts";
import { followVersion, type SharedVersion } from "@product-search/core/mechanisms/versions.ts";
import type { StoredRule, StoredRules } from "@product-search/core/ports/merchandising.ts";
import type { Snapshot } from "@product-search/text-index";
import { readLanguages } from "@product-search/text-search/catalog-languages.ts";
import { languagesOfCodes, serviceLanguages } from "@product-search/text-search/service-languages.ts";
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

/** A table of rules that compares words in the languages of the catalog. */
export function composeRuleTable(
  { languages = ["en"] }: Pick<Config, "languages">,
  rules: readonly StoredRule[] = [],
): RuleTable {
  return createRuleTable(rules, serviceLanguages(languages));
}

/** The same in the languages of the catalog, for a command. */
export async function composeRuleTableOfCatalog(
  config: Pick<Config, "languages">,
  stores: Pick<Stores, "catalogStore">,
  rules: readonly StoredRule[],
): Promise<RuleTable> {
  return createRuleTable(rules, await readLanguages(chosenLanguages(config), stores.catalogStore));
}

export interface RuleFollower {
  current(): RuleTable;
  stop(): void;
}

export interface FollowRulesOptions {
  /** For one of the threads of a node. */
  shared?: SharedVersion;
  onError(error: unknown): void;
  pollMs?: number;
  /** Passes on each snapshot of the index, which tells the languages of the catalog. */
  textIndex?(receive: (snapshot: Snapshot) => void): void;
}

/** The newest rules, whichever process or node changes them. */
export async function composeRuleFollower(
  config: Pick<Config, "languages">,
  { ruleStore, untilChange }: Pick<Stores, "ruleStore" | "untilChange">,
  options: FollowRulesOptions,
): Promise<RuleFollower> {
  let table = composeRuleTable(config);
  const stop = await followVersion<StoredRules>({
    ...options,
    store: { version: () => ruleStore.version(), read: () => ruleStore.read(table.rules) },
    untilChange: untilChange(),
    receive({ rules, version }) {
      table = table.with(rules, version);
      return version;
    },
  });
  let languages: string | undefined;
  options.textIndex?.(({ languages: codes = [] }) => {
    const newest = languagesOfCodes(codes);
    if (newest === undefined || codes.join() === languages) return;
    languages = codes.join();
    table = createRuleTable(table.rules, newest, table.version);
  });
  return { current: () => table, stop };
}

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
