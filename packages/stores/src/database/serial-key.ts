import type { CreateTableBuilder } from "kysely";

/**
 * A key that only increases and is never used twice, even after deletions: `autoincrement` in SQLite. Only this
 * function knows that PostgreSQL has another syntax.
 */
export function addSerialKey<Table extends string, Columns extends string, Name extends string>(
  table: CreateTableBuilder<Table, Columns>,
  name: Name,
): CreateTableBuilder<Table, Columns | Name> {
  return table.addColumn(name, "integer", (column) => column.primaryKey().autoIncrement());
}
