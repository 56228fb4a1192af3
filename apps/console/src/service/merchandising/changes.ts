import type { Rule, RuleRequest } from "@product-search/client";
import { definitionOf } from "./rule-draft.ts";

/** One change that is not published yet. A rule without `before` is new, one without `after` is deleted. */
export type Change = RuleChange | SynonymChange | OrderChange;

export interface RuleChange {
  kind: "rule";
  /** Of the rule, or of the change while the rule is new. */
  id: string;
  before?: Rule;
  after?: RuleRequest;
}

export interface SynonymChange {
  kind: "synonym";
  rule: string;
  isRemoved?: true;
}

/** Identifiers as in the changes; rules that it does not name come last, in the order that they have. */
interface OrderChange {
  kind: "order";
  ids: readonly string[];
}

export interface Publication {
  at: string;
  /** What takes it back. */
  inverse: readonly Change[];
}

export interface Draft {
  changes: readonly Change[];
  published?: Publication;
}

export const emptyDraft: Draft = { changes: [] };

export function keyOf(change: Change): string {
  return change.kind === "rule" ? change.id : change.kind === "synonym" ? `synonym ${change.rule}` : "order";
}

/** With this change, in the place of the one about the same thing. One that changes nothing is left out. */
export function withChange(changes: readonly Change[], change: Change): Change[] {
  const others = withoutChange(changes, keyOf(change));
  const isSame =
    change.kind === "rule" &&
    (change.after === undefined ? change.before === undefined : isSameRule(change.before, change.after));
  return isSame ? others : [...others, change];
}

export function withoutChange(changes: readonly Change[], key: string): Change[] {
  return changes.filter((one) => keyOf(one) !== key);
}

function isSameRule(before: Rule | undefined, after: RuleRequest): boolean {
  return before !== undefined && stable(definitionOf(before)) === stable(after);
}

/** As JSON, whatever the order of members. */
function stable(rule: RuleRequest): string {
  return JSON.stringify(rule, (_, value) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
