import { commonTables } from "./tables.ts";

const appendOnly = "begin select raise(abort, 'the audit log is only ever appended to'); end";

/**
 * A change log has one row a product: a newer change replaces the older, so that the log stays as long as the catalog.
 *
 * `insert or replace` removes a row without firing the trigger for deletions, unless `recursive_triggers` is on, which is a
 * setting of each connection. So the insertion itself is refused: before it, because afterwards the former row is gone.
 * A row without a number has -1 there, which is never stored.
 */
export const sqliteTables = `
${commonTables({
  text: "text",
  bytes: "blob",
  real: "real",
  serial: "integer primary key autoincrement",
  byKey: " without rowid",
})}
-- The price too, so that a history is read from the index alone.
create index price_history_product on price_history (product_row_id, at, price_minor);

create table changes (
  sequence integer primary key autoincrement,
  product_row_id integer not null unique
);

create table vector_changes (
  sequence integer primary key autoincrement,
  product_row_id integer not null unique
);

create trigger audit_log_no_update before update on audit_log ${appendOnly};
create trigger audit_log_no_delete before delete on audit_log ${appendOnly};
create trigger audit_log_no_replace before insert on audit_log
  when exists (select 1 from audit_log where row_id = new.row_id) ${appendOnly};
create trigger audit_log_only_appended after insert on audit_log
  when new.row_id < 1 or new.row_id < (select max(row_id) from audit_log) ${appendOnly};
`;
