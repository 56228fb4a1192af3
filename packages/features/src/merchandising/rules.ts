import { createRuleTable, type RuleTable } from "@product-search/core/domain/merchandising/rule-table.ts";
import { escapeName } from "@product-search/core/domain/name-list.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { RuleDefinition, RuleStore, StoredRule } from "@product-search/core/ports/rule-store.ts";
import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import type {
  PreviewRuleRequest,
  Product,
  ReplaceRuleRequest,
  Rule,
  RuleHistoryEntry,
} from "@product-search/types";
import { assertRule } from "./assert-rule.ts";

export const maxRules = 1000;

export interface RulesDeps {
  ruleStore: Pick<RuleStore, "read" | "history">;
}

export async function listRules({ ruleStore }: RulesDeps): Promise<Rule[]> {
  return (await ruleStore.read()).rules.map(toRule);
}

export async function createRule(
  { transact }: { transact: Transact<StoredRule> },
  definition: RuleDefinition,
): Promise<Rule> {
  assertRule(definition);
  const rule = await transact(async ({ ruleStore, audit }) => {
    const created = await ruleStore.create(definition, maxRules);
    if (created === undefined)
      throw new ApiError(
        "rule_limit_reached",
        `There are ${maxRules} rules, which is the maximum. Delete one that you no longer need.`,
      );
    await audit.record("rule.created", created.id, { rule: JSON.stringify(definition) });
    return created;
  });
  return toRule(rule);
}

export async function replaceRule(
  { transact }: { transact: Transact<StoredRule> },
  id: string,
  { updatedAt, ...definition }: ReplaceRuleRequest,
): Promise<Rule> {
  assertRule(definition);
  const rule = await transact(async ({ ruleStore, audit }) => {
    const stored = await ruleStore.replace(id, definition, Date.parse(updatedAt));
    if (stored === undefined) throw ruleNotFound(id);
    if (!stored.isReplaced)
      throw new ApiError(
        "rule_changed",
        `updatedAt: the rule was changed at ${new Date(stored.rule.updatedAtMs).toISOString()}. Read it again and repeat your change.`,
      );
    await audit.record("rule.replaced", id, { rule: JSON.stringify(definition) });
    return stored.rule;
  });
  return toRule(rule);
}

export async function deleteRule({ transact }: { transact: Transact<void> }, id: string): Promise<void> {
  await transact(async ({ ruleStore, audit }) => {
    if ((await ruleStore.remove(id)) === undefined) throw ruleNotFound(id);
    await audit.record("rule.deleted", id);
  });
}

export async function orderRules(
  { transact }: { transact: Transact<StoredRule[]> },
  { ids }: { ids: readonly string[] },
): Promise<Rule[]> {
  const rules = await transact(async ({ ruleStore, audit }) => {
    await ruleStore.order(ids);
    const { rules: ordered } = await ruleStore.read();
    const unknown = ids.find((id) => !ordered.some((rule) => rule.id === id));
    // Thrown inside the transaction: nothing was ordered then.
    if (unknown !== undefined) throw ruleNotFound(unknown);
    await audit.record("rules.ordered", `${ids.length} rules`, { ids: ids.join(",") });
    return ordered;
  });
  return rules.map(toRule);
}

export async function listRuleHistory({ ruleStore }: RulesDeps, id: string): Promise<RuleHistoryEntry[]> {
  const history = await ruleStore.history(id);
  if (history.length === 0) throw ruleNotFound(id);
  return history.map(({ change, atMs, rule }) => ({
    change,
    at: new Date(atMs).toISOString(),
    rule: toRule(rule),
  }));
}

export interface PreviewRuleDeps extends RulesDeps {
  /** The first products of a search with these rules. */
  search(query: Omit<PreviewRuleRequest, "rule" | "ruleId">, rules: RuleTable): Promise<Product[]>;
}

/** Searches with the stored rules, and with one more or another one. Nothing is stored. */
export async function previewRule(
  { ruleStore, search }: PreviewRuleDeps,
  { rule, ruleId, brands, categories, ...others }: PreviewRuleRequest,
): Promise<{ before: Product[]; after: Product[] }> {
  assertRule(rule);
  const query = {
    ...others,
    ...(brands && { brands: brands.map(escapeName) }),
    ...(categories && { categories: categories.map(escapeName) }),
  };
  const { rules } = await ruleStore.read();
  const place = ruleId === undefined ? rules.length : rules.findIndex(({ id }) => id === ruleId);
  if (place < 0) throw ruleNotFound(ruleId ?? "");
  const { from: _from, until: _until, ...always } = rule;
  const definition: RuleDefinition = { ...always, enabled: true };
  const tried: StoredRule = { id: ruleId ?? "preview", definition, createdAtMs: 0, updatedAtMs: 0 };
  const before = await search(query, createRuleTable(rules));
  const after = await search(query, createRuleTable(rules.toSpliced(place, 1, tried)));
  return { before, after };
}

function ruleNotFound(id: string): ApiError {
  return new ApiError(
    "rule_not_found",
    `There is no rule "${id.slice(0, 80)}". List the rules to see those that exist.`,
  );
}

function toRule({ id, definition, createdAtMs, updatedAtMs }: StoredRule): Rule {
  return {
    ...definition,
    enabled: definition.enabled ?? true,
    id,
    createdAt: new Date(createdAtMs).toISOString(),
    updatedAt: new Date(updatedAtMs).toISOString(),
  };
}
