import type { CreateTableBuilder } from "kysely";

/**
 * A key that only ever grows and is never given twice, also after deletions: `autoincrement` in SQLite.
 * PostgreSQL spells it differently; this is the one place to say so.
 */
export function addSerialKey<Table extends string, Columns extends string, Name extends string>(
  table: CreateTableBuilder<Table, Columns>,
  name: Name,
): CreateTableBuilder<Table, Columns | Name> {
  return table.addColumn(name, "integer", (column) => column.primaryKey().autoIncrement());
}
