import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  keptRuleChanges,
  type RuleHistoryEntry,
  type RuleStore,
  type StoredRule,
} from "@product-search/core/ports/rule-store.ts";
import type { Kysely, Selectable } from "kysely";
import { randomId } from "../database/random-id.ts";
import type { Database, RulesTable } from "../database/schema.ts";

/** The history of a deleted rule is kept so long. */
const deletedKeptForMs = 90 * 24 * 3600 * 1000;

export interface SqlRuleStoreSettings {
  db: Kysely<Database>;
  clock: Clock;
}

export function createSqlRuleStore({ db, clock }: SqlRuleStoreSettings): RuleStore {
  const version = async () =>
    (await db.selectFrom("rules_version").select("version").executeTakeFirst())?.version;
  const ordered = () => db.selectFrom("rules").selectAll().orderBy("position").orderBy("id").execute();
  const find = async (id: string) => {
    const row = await db.selectFrom("rules").selectAll().where("id", "=", id).executeTakeFirst();
    return row && toRule(row);
  };

  /** Comes first in every change: in PostgreSQL its row is the lock for which other writers wait. */
  async function beginChange(): Promise<void> {
    const next = randomId("rules_");
    await db
      .insertInto("rules_version")
      .values({ slot: 1, version: next })
      .onConflict((conflict) => conflict.column("slot").doUpdateSet({ version: next }))
      .execute();
  }

  async function record(change: RuleHistoryEntry["change"], rule: StoredRule, atMs: number): Promise<void> {
    const { last } = await db
      .selectFrom("rule_history")
      .select(({ fn }) => fn.max("number").as("last"))
      .where("rule_id", "=", rule.id)
      .executeTakeFirstOrThrow();
    const number = Number(last ?? 0) + 1;
    await db
      .insertInto("rule_history")
      .values({ rule_id: rule.id, number, change, at: atMs, rule: JSON.stringify(rule) })
      .execute();
    await db
      .deleteFrom("rule_history")
      .where("rule_id", "=", rule.id)
      .where("number", "<=", number - keptRuleChanges)
      .execute();
    await db
      .deleteFrom("rule_history")
      .where("at", "<", atMs - deletedKeptForMs)
      .where("rule_id", "not in", db.selectFrom("rules").select("id"))
      .execute();
  }

  return {
    version,
    async read() {
      // The version first: a change in between is read again.
      const known = await version();
      return { version: known, rules: (await ordered()).map(toRule) };
    },

    async create(definition, limit) {
      await beginChange();
      const { count, last } = await db
        .selectFrom("rules")
        .select(({ fn }) => [fn.countAll().as("count"), fn.max("position").as("last")])
        .executeTakeFirstOrThrow();
      if (Number(count) >= limit) return undefined;
      const nowMs = clock.now();
      const rule = { id: randomId("rule_"), definition, createdAtMs: nowMs, updatedAtMs: nowMs };
      await db
        .insertInto("rules")
        .values({ ...toRow(rule), position: Number(last ?? 0) + 1 })
        .execute();
      await record("created", rule, nowMs);
      return rule;
    },

    async replace(id, definition, former) {
      await beginChange();
      const stored = await find(id);
      if (stored === undefined) return undefined;
      if (stored.updatedAtMs !== former) return { isReplaced: false, rule: stored };
      const rule = { ...stored, definition, updatedAtMs: Math.max(clock.now(), former + 1) };
      await db.updateTable("rules").set(toRow(rule)).where("id", "=", id).execute();
      await record("replaced", rule, rule.updatedAtMs);
      return { isReplaced: true, rule };
    },

    async remove(id) {
      await beginChange();
      const stored = await find(id);
      if (stored === undefined) return undefined;
      await db.deleteFrom("rules").where("id", "=", id).execute();
      await record("deleted", stored, clock.now());
      return stored;
    },

    async order(ids) {
      await beginChange();
      const known = (await ordered()).map((row) => row.id);
      const first = new Set(ids.filter((id) => known.includes(id)));
      const places = [...first, ...known.filter((id) => !first.has(id))];
      for (const [at, id] of places.entries()) {
        const position = at + 1;
        await db
          .updateTable("rules")
          .set({ position })
          .where("id", "=", id)
          .where("position", "!=", position)
          .execute();
      }
    },

    async history(id) {
      const rows = await db
        .selectFrom("rule_history")
        .selectAll()
        .where("rule_id", "=", id)
        .orderBy("number", "desc")
        .execute();
      return rows.map(({ change, at, rule }) => ({
        change: change === "created" || change === "deleted" ? change : "replaced",
        atMs: at,
        rule: readStored(rule),
      }));
    },
  };
}

function toRow({ id, definition, createdAtMs, updatedAtMs }: StoredRule) {
  return { id, definition: JSON.stringify(definition), created_at: createdAtMs, updated_at: updatedAtMs };
}

/** Before `until`, rules had their end as `to`. */
function readDefinition({ to, ...definition }: StoredRule["definition"] & { to?: string }) {
  return to === undefined ? definition : { until: to, ...definition };
}

function readStored(json: string): StoredRule {
  const stored: StoredRule = JSON.parse(json);
  return { ...stored, definition: readDefinition(stored.definition) };
}

function toRule(row: Selectable<RulesTable>): StoredRule {
  return {
    id: row.id,
    definition: readDefinition(JSON.parse(row.definition)),
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}
