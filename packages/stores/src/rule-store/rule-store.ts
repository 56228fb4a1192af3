import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  historyPageBytes,
  keptRuleChanges,
  maxRuleHistoryBytes,
  namedProducts,
  type RuleDefinition,
  type RuleHistoryEntry,
  type RuleStore,
  type StoredRule,
} from "@product-search/core/ports/merchandising.ts";
import type { Kysely, Selectable } from "kysely";
import { type NewId, randomId } from "../database/random-id.ts";
import type { Database, RuleHistoryTable, RulesTable } from "../database/schema.ts";

/** The history of a deleted rule is kept so long. */
const deletedKeptForMs = 90 * 24 * 3600 * 1000;
/** So many old entries are deleted with one change at most, so that its transaction stays short. */
const droppedAtOnce = 100;

export interface SqlRuleStoreSettings {
  db: Kysely<Database>;
  clock: Clock;
  newId?: NewId;
}

export function createSqlRuleStore({ db, clock, newId = randomId }: SqlRuleStoreSettings): RuleStore {
  const version = async () =>
    (await db.selectFrom("rules_version").select("version").executeTakeFirst())?.version;
  const find = async (id: string) => {
    const row = await db.selectFrom("rules").selectAll().where("id", "=", id).executeTakeFirst();
    return row && toRule(row);
  };

  /** Comes first in every change: in PostgreSQL its row is the lock for which other writers wait. */
  async function beginChange(): Promise<void> {
    const next = newId("rules_");
    await db
      .insertInto("rules_version")
      .values({ slot: 1, version: next, history_bytes: 0 })
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
    const text = JSON.stringify(rule);
    const bytes = Buffer.byteLength(text);
    await db
      .insertInto("rule_history")
      .values({ rule_id: rule.id, number, change, at: atMs, rule: text, bytes })
      .execute();
    const { history_bytes: before } = await db
      .selectFrom("rules_version")
      .select("history_bytes")
      .executeTakeFirstOrThrow();
    const entries = db.selectFrom("rule_history").select(["rule_id", "number", "bytes"]).limit(droppedAtOnce);
    const superseded = entries
      .where("rule_id", "=", rule.id)
      .where("number", "<=", number - keptRuleChanges)
      .execute();
    const expired = entries
      .where("at", "<", atMs - deletedKeptForMs)
      .where("rule_id", "not in", db.selectFrom("rules").select("id"))
      .orderBy("at")
      .execute();
    let total = Number(before) + bytes - (await drop(await superseded)) - (await drop(await expired));
    if (total > maxRuleHistoryBytes)
      total -= await drop(excess(await entries.orderBy("at").execute(), total));
    await db.updateTable("rules_version").set({ history_bytes: total }).execute();
  }

  /** Returns their bytes. */
  async function drop(entries: readonly HistoryKey[]): Promise<number> {
    for (const { rule_id, number } of entries)
      await db
        .deleteFrom("rule_history")
        .where("rule_id", "=", rule_id)
        .where("number", "=", number)
        .execute();
    return entries.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  return {
    version,
    async read(former = []) {
      // The version first: a change in between is read again.
      const newest = await version();
      const kept = new Map(former.map((rule) => [rule.id, rule]));
      const stored = await db
        .selectFrom("rules")
        .select(["id", "updated_at"])
        .orderBy("position")
        .orderBy("id")
        .execute();
      const changed = stored.filter((row) => kept.get(row.id)?.updatedAtMs !== row.updated_at);
      const ids = changed.map(({ id }) => id);
      if (ids.length > 0)
        for (const row of await db.selectFrom("rules").selectAll().where("id", "in", ids).execute())
          kept.set(row.id, toRule(row));
      return { version: newest, rules: stored.flatMap(({ id }) => kept.get(id) ?? []) };
    },

    async totals() {
      const totals = await db
        .selectFrom("rules")
        .select(({ fn }) => [
          fn.countAll().as("rules"),
          fn.sum("product_ids").as("productIds"),
          fn.sum("bytes").as("bytes"),
        ])
        .executeTakeFirstOrThrow();
      return {
        rules: Number(totals.rules),
        productIds: Number(totals.productIds ?? 0),
        bytes: Number(totals.bytes ?? 0),
      };
    },

    async create(definition) {
      await beginChange();
      const { last } = await db
        .selectFrom("rules")
        .select(({ fn }) => fn.max("position").as("last"))
        .executeTakeFirstOrThrow();
      const nowMs = clock.now();
      const rule = { id: newId("rule_"), definition, createdAtMs: nowMs, updatedAtMs: nowMs };
      await db
        .insertInto("rules")
        .values({ ...toRow(rule), position: Number(last ?? 0) + 1 })
        .execute();
      await record("created", rule, nowMs);
      return rule;
    },

    async replace(id, definition, formerMs) {
      await beginChange();
      const former = await find(id);
      if (former === undefined) return undefined;
      if (former.updatedAtMs !== formerMs) return { isReplaced: false, former, rule: former };
      const rule = { ...former, definition, updatedAtMs: Math.max(clock.now(), formerMs + 1) };
      await db.updateTable("rules").set(toRow(rule)).where("id", "=", id).execute();
      await record("replaced", rule, rule.updatedAtMs);
      return { isReplaced: true, former, rule };
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
      const known = await db.selectFrom("rules").select("id").orderBy("position").orderBy("id").execute();
      const former = known.map(({ id }) => id);
      const first = new Set(ids.filter((id) => former.includes(id)));
      const places = [...first, ...former.filter((id) => !first.has(id))];
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

    async history(id, { limit, before = 2 ** 31 - 1 }) {
      const older = db
        .selectFrom("rule_history")
        .where("rule_id", "=", id)
        .where("number", "<", before)
        .orderBy("number", "desc");
      const keys = await older
        .select(["number", "bytes"])
        .limit(limit + 1)
        .execute();
      const count = entriesOfPage(
        keys.map(({ bytes }) => bytes),
        limit,
      );
      const rows = count === 0 ? [] : await older.selectAll().limit(count).execute();
      const last = rows.at(-1);
      return {
        entries: rows.map(({ number, change, at, rule }) => ({
          number,
          change: change === "created" || change === "deleted" ? change : "replaced",
          atMs: at,
          rule: JSON.parse(rule),
        })),
        ...(keys.length > count && last !== undefined && { next: last.number }),
      };
    },
  };
}

type HistoryKey = Pick<Selectable<RuleHistoryTable>, "rule_id" | "number" | "bytes">;

/** The oldest, until the rest is small enough. */
function excess(oldestFirst: readonly HistoryKey[], totalBytes: number): HistoryKey[] {
  let left = totalBytes;
  return oldestFirst.filter(({ bytes }) => {
    const isTooMuch = left > maxRuleHistoryBytes;
    if (isTooMuch) left -= bytes;
    return isTooMuch;
  });
}

function toRow({ id, definition, createdAtMs, updatedAtMs }: StoredRule) {
  return {
    id,
    definition: JSON.stringify(definition),
    product_ids: namedProducts(definition),
    bytes: bytesOf(definition),
    created_at: createdAtMs,
    updated_at: updatedAtMs,
  };
}

function toRule(row: Selectable<RulesTable>): StoredRule {
  return {
    id: row.id,
    definition: JSON.parse(row.definition),
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}

function bytesOf(definition: RuleDefinition): number {
  return Buffer.byteLength(JSON.stringify(definition));
}

/** How many of the entries are on a page. */
function entriesOfPage(bytes: readonly number[], limit: number): number {
  let sum = 0;
  const full = bytes.findIndex((some) => {
    sum += some;
    return sum >= historyPageBytes;
  });
  return Math.min(limit, full < 0 ? bytes.length : full + 1);
}
