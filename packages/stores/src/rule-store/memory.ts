import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  keptRuleChanges,
  type RuleHistoryEntry,
  type RuleStore,
  type StoredRule,
} from "@product-search/core/ports/rule-store.ts";
import type { MemoryDatabase } from "../database/memory/memory.ts";
import { randomId } from "../database/random-id.ts";

export interface MemoryRuleStoreSettings {
  database: MemoryDatabase;
  clock: Clock;
  /** Default: random identifiers. */
  newId?: ((prefix: string) => string) | undefined;
}

/** The one row of the list. */
const slot = 1;

export function createMemoryRuleStore({
  database,
  clock,
  newId = randomId,
}: MemoryRuleStoreSettings): RuleStore {
  const { rules: lists, ruleHistory } = database.tables;
  const read = () => lists.get(slot) ?? { version: undefined, rules: [] };
  const write = (rules: StoredRule[]) =>
    lists.set(slot, { version: `rules_${database.next("rules")}`, rules });
  const record = (change: RuleHistoryEntry["change"], rule: StoredRule, atMs: number) =>
    ruleHistory.set(
      rule.id,
      [{ change, atMs, rule }, ...(ruleHistory.get(rule.id) ?? [])].slice(0, keptRuleChanges),
    );
  return {
    version: async () => read().version,
    read: async () => read(),
    async create(definition, limit) {
      const { rules } = read();
      if (rules.length >= limit) return undefined;
      const nowMs = clock.now();
      const rule = { id: newId("rule_"), definition, createdAtMs: nowMs, updatedAtMs: nowMs };
      write([...rules, rule]);
      record("created", rule, nowMs);
      return rule;
    },
    async replace(id, definition, former) {
      const { rules } = read();
      const stored = rules.find((rule) => rule.id === id);
      if (stored === undefined) return undefined;
      if (stored.updatedAtMs !== former) return { isReplaced: false, rule: stored };
      const rule = { ...stored, definition, updatedAtMs: Math.max(clock.now(), former + 1) };
      write(rules.map((one) => (one.id === id ? rule : one)));
      record("replaced", rule, rule.updatedAtMs);
      return { isReplaced: true, rule };
    },
    async remove(id) {
      const { rules } = read();
      const stored = rules.find((rule) => rule.id === id);
      if (stored === undefined) return undefined;
      write(rules.filter((rule) => rule !== stored));
      record("deleted", stored, clock.now());
      return stored;
    },
    async order(ids) {
      const { rules } = read();
      const first = ids.flatMap((id) => rules.filter((rule) => rule.id === id));
      write([...first, ...rules.filter((rule) => !first.includes(rule))]);
    },
    history: async (id) => [...(ruleHistory.get(id) ?? [])],
  };
}
