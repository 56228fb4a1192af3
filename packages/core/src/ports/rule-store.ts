import type { RuleRequest } from "@product-search/types";

/** A rule of the catalog search as a client sends it. */
export type RuleDefinition = RuleRequest;

export interface StoredRule {
  id: string;
  definition: RuleDefinition;
  createdAtMs: number;
  /** Greater after every change of the rule. */
  updatedAtMs: number;
}

export interface StoredRules {
  /** Different after every change; undefined before the first. */
  version: string | undefined;
  /** In the order in which they apply. */
  rules: StoredRule[];
}

export interface RuleHistoryEntry {
  change: "created" | "replaced" | "deleted";
  atMs: number;
  /** As it was then. */
  rule: StoredRule;
}

/** So many changes of a rule are kept. */
export const keptRuleChanges = 100;

/**
 * Stored with the catalog; all processes and nodes on one database share it. Changes are made in a transaction: writers
 * wait for each other.
 */
export interface RuleStore {
  version(): Promise<string | undefined>;
  read(): Promise<StoredRules>;
  /** The new rule, after all others; undefined if there are `limit` already. */
  create(definition: RuleDefinition, limit: number): Promise<StoredRule | undefined>;
  /** Replaces the rule if it was last changed at `former`. `rule` is the stored one in any case; undefined without one. */
  replace(
    id: string,
    definition: RuleDefinition,
    former: number,
  ): Promise<{ isReplaced: boolean; rule: StoredRule } | undefined>;
  /** The former rule; undefined if there was none. */
  remove(id: string): Promise<StoredRule | undefined>;
  /** Puts these rules first, in this order. Unknown ones are left out. */
  order(ids: readonly string[]): Promise<void>;
  /** The newest first, also of a deleted rule; empty if there never was one. */
  history(id: string): Promise<RuleHistoryEntry[]>;
}
