import { randomUUID } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Database } from "../schema.ts";

export type ChangeLog = "changes" | "vector_changes";

/**
 * Appends the products to a change log in the given order. Call it last in the transaction: the sequences come from a
 * row that stays locked until the commit, so a follower that sees a sequence sees all lower ones. A PostgreSQL
 * sequence gives numbers before the commit, so a follower could miss those of a slower transaction.
 */
export async function numberChanges(
  transaction: Kysely<Database>,
  log: ChangeLog,
  rowIds: readonly number[],
): Promise<void> {
  const changed = [...new Set(rowIds)];
  if (changed.length === 0) return;
  const counter = await sql<{ last: number }>`
    update change_counters set last = last + ${changed.length}::integer where log = ${log} returning last`.execute(
    transaction,
  );
  const last = counter.rows[0]?.last;
  if (last === undefined) throw new Error(`The counter of the change log "${log}" is missing.`);
  await sql`
    insert into ${sql.table(log)} (product_row_id, sequence)
    select row_id, ${last - changed.length}::bigint + number from unnest(${changed}::bigint[]) with ordinality t (row_id, number)
    on conflict (product_row_id) do update set sequence = excluded.sequence`.execute(transaction);
  await mark(transaction, log, last);
}

/** Followers that have missed more changes than this copy everything again. */
const keptChanges = 10_000_000;

async function mark(transaction: Kysely<Database>, log: ChangeLog, last: number): Promise<void> {
  await sql`insert into change_marks (log, sequence, mark) values (${log}, ${last}, ${randomUUID()})`.execute(
    transaction,
  );
  await sql`delete from change_marks where log = ${log} and sequence <= ${last - keptChanges}`.execute(
    transaction,
  );
}

/**
 * Tells the history up to a change from any other that has the same numbers: after a restore of the database, other changes
 * get the numbers of those that were lost. It is the mark of the transaction that wrote the change, whose other changes may
 * have later numbers.
 */
export async function markOfHistory(db: Kysely<Database>, log: ChangeLog, sequence: number): Promise<string> {
  const found = await sql<{ sequence: number; mark: string }>`
    select sequence, mark from change_marks where log = ${log} and sequence >= ${sequence} and ${sequence} > 0
    order by sequence limit 1`.execute(db);
  const [first] = found.rows;
  return first === undefined ? "none" : `${first.sequence} ${first.mark}`;
}

/** The number of the newest change, 0 when there was none. */
export async function lastChange(db: Kysely<Database>, log: ChangeLog): Promise<number> {
  const counter = await sql<{ last: number }>`select last from change_counters where log = ${log}`.execute(
    db,
  );
  return counter.rows[0]?.last ?? 0;
}
