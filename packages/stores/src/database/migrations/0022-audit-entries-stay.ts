import { type Kysely, sql } from "kysely";
import type { Database } from "../schema.ts";

/**
 * `insert or replace` removes the former row without firing the triggers for deletions, unless `recursive_triggers` is on, which is
 * a setting of each connection. So the insertion itself is refused.
 */
export const auditEntriesStay = {
  async up(db: Kysely<Database>): Promise<void> {
    // Before: afterwards the former row is gone already. A row without a number has -1 here, which is never stored.
    await sql`create trigger audit_log_no_replace before insert on audit_log
      when exists (select 1 from audit_log where row_id = new.row_id)
      begin select raise(abort, 'the audit log is only ever appended to'); end`.execute(db);
    // After: only now does every row have its number. A lower one would be shown between older entries.
    await sql`create trigger audit_log_only_appended after insert on audit_log
      when new.row_id < 1 or new.row_id < (select max(row_id) from audit_log)
      begin select raise(abort, 'the audit log is only ever appended to'); end`.execute(db);
  },
};
