import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  keptRuleChanges,
  maxRuleHistoryBytes,
  namedProducts,
  type RuleHistoryEntry,
  type RuleStore,
  type StoredRule,
} from "@product-search/core/ports/rule-store.ts";
import type { MemoryDatabase } from "../database/memory/memory.ts";
import { randomId } from "../database/random-id.ts";
import { bytesOf, entriesOfPage } from "./sql.ts";

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
  const record = (change: RuleHistoryEntry["change"], rule: StoredRule, atMs: number) => {
    const former = ruleHistory.get(rule.id) ?? [];
    const entry = { number: (former[0]?.number ?? 0) + 1, change, atMs, rule };
    ruleHistory.set(rule.id, [entry, ...former].slice(0, keptRuleChanges));
    dropOldest();
  };
  const dropOldest = () => {
    const oldestFirst = ruleHistory
      .values()
      .flat()
      .sort((one, other) => one.atMs - other.atMs || one.number - other.number);
    let bytes = oldestFirst.reduce((sum, { rule }) => sum + bytesOf(rule.definition), 0);
    for (const { rule, number } of oldestFirst) {
      if (bytes <= maxRuleHistoryBytes) return;
      bytes -= bytesOf(rule.definition);
      const kept = ruleHistory.get(rule.id)?.filter((entry) => entry.number !== number) ?? [];
      ruleHistory.set(rule.id, kept);
    }
  };
  return {
    version: async () => read().version,
    read: async () => read(),
    async totals() {
      const definitions = read().rules.map(({ definition }) => definition);
      return {
        rules: definitions.length,
        productIds: definitions.reduce((sum, definition) => sum + namedProducts(definition), 0),
        bytes: definitions.reduce((sum, definition) => sum + bytesOf(definition), 0),
      };
    },
    async create(definition) {
      const nowMs = clock.now();
      const rule = { id: newId("rule_"), definition, createdAtMs: nowMs, updatedAtMs: nowMs };
      write([...read().rules, rule]);
      record("created", rule, nowMs);
      return rule;
    },
    async replace(id, definition, formerMs) {
      const { rules } = read();
      const stored = rules.find((rule) => rule.id === id);
      if (stored === undefined) return undefined;
      if (stored.updatedAtMs !== formerMs) return { isReplaced: false, former: stored, rule: stored };
      const rule = { ...stored, definition, updatedAtMs: Math.max(clock.now(), formerMs + 1) };
      write(rules.map((one) => (one.id === id ? rule : one)));
      record("replaced", rule, rule.updatedAtMs);
      return { isReplaced: true, former: stored, rule };
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
    async history(id, { limit, before = 2 ** 31 - 1 }) {
      const older = (ruleHistory.get(id) ?? []).filter(({ number }) => number < before);
      const entries = older.slice(
        0,
        entriesOfPage(
          older.map(({ rule }) => bytesOf(rule.definition)),
          limit,
        ),
      );
      const last = entries.at(-1);
      return { entries, ...(entries.length < older.length && last && { next: last.number }) };
    },
  };
}
