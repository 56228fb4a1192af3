import { type Kysely, sql } from "kysely";
import type { Database } from "../schema.ts";
import { addSerialKey } from "../serial-key.ts";

export const access = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema.alterTable("tokens").addColumn("networks", "text").execute();
    await addSerialKey(db.schema.createTable("audit_log"), "row_id")
      .addColumn("at", "bigint", (column) => column.notNull())
      .addColumn("action", "text", (column) => column.notNull())
      .addColumn("subject", "text", (column) => column.notNull())
      .addColumn("details", "text", (column) => column.notNull())
      .addColumn("token_id", "text")
      .addColumn("account_id", "text")
      .addColumn("user", "text")
      .addColumn("origin", "text", (column) => column.notNull())
      .execute();
    for (const change of ["update", "delete"]) {
      await sql`create trigger ${sql.id(`audit_log_no_${change}`)} before ${sql.raw(change)} on audit_log
        begin select raise(abort, 'the audit log is only ever appended to'); end`.execute(db);
    }
  },
};
