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

/** What all rules have together. */
export interface RuleTotals {
  rules: number;
  /** How many products they name, each as often as it is named. */
  productIds: number;
  /** Of their definitions as JSON. */
  bytes: number;
}

export function namedProducts({ pin = [], hide = [], boost = [] }: RuleDefinition): number {
  return pin.length + hide.length + boost.reduce((sum, { productIds = [] }) => sum + productIds.length, 0);
}

export interface RuleHistoryEntry {
  /** Of the rule's changes, from 1. */
  number: number;
  change: "created" | "replaced" | "deleted";
  atMs: number;
  /** As it was then. */
  rule: StoredRule;
}

/** So many changes of a rule are kept. */
export const keptRuleChanges = 100;
/** The oldest changes of any rule are deleted beyond it. */
export const maxRuleHistoryBytes = 32 * 1024 * 1024;
/** A page of a history ends after the change with which it has so many. */
export const historyPageBytes = 1024 * 1024;

export interface RuleHistoryPage {
  entries: RuleHistoryEntry[];
  /** Pass it as `before` for the next page; absent on the last. */
  next?: number;
}

/**
 * Stored with the catalog; all processes and nodes on one database share it. Changes are made in a transaction: writers
 * wait for each other.
 */
export interface RuleStore {
  version(): Promise<string | undefined>;
  /** Rules that have not changed since `former` was read are taken from there: the same objects. */
  read(former?: readonly StoredRule[]): Promise<StoredRules>;
  totals(): Promise<RuleTotals>;
  /** The new rule, after all others. */
  create(definition: RuleDefinition): Promise<StoredRule>;
  /** Replaces the rule if it was last changed at `formerMs`. `rule` is the stored one in any case; undefined without one. */
  replace(
    id: string,
    definition: RuleDefinition,
    formerMs: number,
  ): Promise<{ isReplaced: boolean; former: StoredRule; rule: StoredRule } | undefined>;
  /** The former rule; undefined if there was none. */
  remove(id: string): Promise<StoredRule | undefined>;
  /** Puts these rules first, in this order. Unknown ones are left out. */
  order(ids: readonly string[]): Promise<void>;
  /** The newest first, also of a deleted rule; empty if there never was one. */
  history(id: string, page: { limit: number; before?: number }): Promise<RuleHistoryPage>;
}

/** The operator's changes to the included synonyms. A rule is a line: "couch, sofa" or "sneakers => running shoes". */
export interface SynonymChanges {
  added: readonly string[];
  /** Included rules that do not apply. */
  removed: readonly string[];
}

export interface StoredSynonyms extends SynonymChanges {
  /** Different after every change. */
  version: string;
}

/** Stored with the catalog; all processes and nodes on one database share it. */
export interface SynonymStore {
  /** Undefined before the first change. */
  version(): Promise<string | undefined>;
  read(): Promise<StoredSynonyms | undefined>;
  /** Replaces all changes. False, without an effect, if another process has changed the version `former`. */
  replace(changes: SynonymChanges, former: string | undefined): Promise<boolean>;
}

interface ListedSynonym {
  rule: string;
  /** `removed`: an included rule that does not apply. */
  origin: "included" | "added" | "removed";
}

/** What an edit stores. It replaces all changes if the stored version is still `former`. */
export interface SynonymEdit {
  changes: SynonymChanges;
  former: string | undefined;
  /** Rules that apply now and did not before. */
  added: readonly string[];
  /** Rules that no longer apply. */
  removed: readonly string[];
}

/** Stores an edit. False, without an effect, if another process has changed the synonyms meanwhile. */
export type SaveSynonyms = (edit: SynonymEdit) => Promise<boolean>;

export interface AddedSynonyms {
  /** The rules that did not apply before. */
  added: string[];
  /** All rules of the text, as they are listed now. */
  rules: ListedSynonym[];
}

/** Reads and changes the rules for synonyms. What is refused is an `ApiError`. */
export interface SynonymEditor {
  /** In alphabetical order. */
  list(): Promise<ListedSynonym[]>;
  /** Adds rules, one per line. If one is refused, none is added. */
  add(text: string, save: SaveSynonyms): Promise<AddedSynonyms>;
  /** Removes one rule and returns it as it was listed. */
  remove(line: string, save: SaveSynonyms): Promise<string>;
}
