import {
  createRuleTable,
  noRules,
  type RuleTable,
} from "@product-search/core/domain/merchandising/rule-table.ts";
import { followVersion } from "@product-search/core/mechanisms/follow-version.ts";
import type { SharedVersion } from "@product-search/core/mechanisms/share-version.ts";
import type { StoredRules } from "@product-search/core/ports/rule-store.ts";
import type { Stores } from "./stores/stores.ts";

export interface RuleFollower {
  current(): RuleTable;
  stop(): void;
}

export interface FollowRulesOptions {
  /** For one of the threads of a node. */
  shared?: SharedVersion;
  onError(error: unknown): void;
  pollMs?: number;
}

/** The newest rules, whichever process or node changes them. */
export async function composeRuleFollower(
  { ruleStore, untilChange }: Pick<Stores, "ruleStore" | "untilChange">,
  options: FollowRulesOptions,
): Promise<RuleFollower> {
  let table = noRules;
  const stop = await followVersion<StoredRules>({
    ...options,
    store: ruleStore,
    untilChange: untilChange(),
    receive({ rules, version }) {
      table = createRuleTable(rules, version);
      return version;
    },
  });
  return { current: () => table, stop };
}
