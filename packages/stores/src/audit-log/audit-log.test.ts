import { describeAuditLog } from "@product-search/testing/contracts/audit-log.ts";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { describeOnEachEngine } from "../../testing/each-engine.ts";
import { createSqlAuditLog } from "./audit-log.ts";

describeOnEachEngine("the audit log", (open) => {
  describeAuditLog(async (clock) => {
    const { db, close } = await open();
    return { log: createSqlAuditLog({ db, clock }), close };
  });
});

const columns = `(row_id, at, action, subject, details, "user", origin)`;
const forged = (rowId: number | string) =>
  `(${rowId}, 0, 'token.revoked', 'forged', '{}', 'nobody', 'nowhere')`;

/** Understood by both databases. The entries have the numbers 1 to 3. */
const common = [
  "update audit_log set subject = 'forged'",
  "update audit_log set subject = 'forged' where row_id = 2",
  "update audit_log set row_id = 9 where row_id = 3",
  "update audit_log set subject = 'forged' where row_id = 99",
  "delete from audit_log",
  "delete from audit_log where row_id = 3",
  `insert into audit_log ${columns} values ${forged(2)}`,
  `insert into audit_log ${columns} values ${forged(2)} on conflict (row_id) do update set subject = 'forged'`,
  `with old as (select * from audit_log) update audit_log set subject = 'forged' where row_id in (select row_id from old)`,
];

const sqliteOnly = [
  ...["rollback", "abort", "fail", "ignore", "replace"].flatMap((rule) => [
    `update or ${rule} audit_log set subject = 'forged'`,
    `update or ${rule} audit_log set row_id = 2 where row_id = 3`,
    `insert or ${rule} into audit_log ${columns} values ${forged(2)}`,
    `insert or ${rule} into audit_log ${columns} values ${forged(3)}`,
    `insert or ${rule} into audit_log ${columns} select row_id, 0, action, 'forged', '{}', 'x', 'x' from audit_log`,
  ]),
  `replace into audit_log ${columns} values ${forged(1)}`,
  `replace into audit_log ${columns} values ${forged(3)}`,
  `replace into audit_log ${columns} values ${forged("null")}, ${forged(3)}`,
  `insert into audit_log ${columns} values ${forged(2)} on conflict do update set subject = 'forged'`,
  // Before the others: the log is in the order of its entries.
  `insert into audit_log ${columns} values ${forged(0)}`,
  `insert into audit_log ${columns} values ${forged(-1)}`,
  `insert into audit_log ${columns} values ${forged(-7)}`,
  `update audit_log set subject = 'forged' from (select 1) where row_id = 1`,
];

const postgresOnly = [
  "truncate audit_log",
  "truncate audit_log restart identity cascade",
  `insert into audit_log ${columns} overriding system value values ${forged(2)} on conflict on constraint audit_log_pkey do update set subject = excluded.subject`,
  `merge into audit_log using (select 2 as id) as wanted on row_id = id when matched then update set subject = 'forged'`,
  `merge into audit_log using (select 2 as id) as wanted on row_id = id when matched then delete`,
  `with gone as (delete from audit_log returning *) select * from gone`,
];

describeOnEachEngine("an entry of the audit log", (open) => {
  test("is neither changed nor removed by any statement, and the log can still be written", async () => {
    const { db, close } = await open();
    onTestFinished(close);
    const isSqlite = await sql`select sqlite_version()`.execute(db).then(
      () => true,
      () => false,
    );
    const log = createSqlAuditLog({ db, clock: { now: () => 5 } });
    const writer = log.writer({ kind: "command", user: "operator", host: "machine" });
    for (const subject of ["one", "two", "three"]) await writer.record("token.created", subject);
    const rows = () => db.selectFrom("audit_log").selectAll().orderBy("row_id").execute();
    const before = await rows();

    const accepted: string[] = [];
    // With it, REPLACE fires the triggers for deletions; without it, it does not.
    for (const pragma of isSqlite ? ["on", "off"] : [undefined]) {
      if (pragma !== undefined) await sql.raw(`pragma recursive_triggers = ${pragma}`).execute(db);
      for (const statement of [...common, ...(isSqlite ? sqliteOnly : postgresOnly)]) {
        await sql
          .raw(statement)
          .execute(db)
          .then(
            () => accepted.push(statement),
            () => {},
          );
        expect(await rows(), statement).toEqual(before);
      }
    }
    // Statements that match no entry may pass.
    expect(accepted.filter((statement) => !/ 99$|or ignore/.test(statement))).toEqual([]);

    await writer.record("token.revoked", "four");
    expect((await log.list({ limit: 10 })).entries.map(({ subject }) => subject)).toEqual([
      "four",
      "three",
      "two",
      "one",
    ]);
  });
});
