import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";

export const imports = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema
      .createTable("imports")
      .addColumn("slot", "integer", (column) => column.primaryKey())
      .addColumn("owner", "text")
      .addColumn("label", "text", (column) => column.notNull())
      .addColumn("started_at", "bigint", (column) => column.notNull())
      .addColumn("lease_until", "bigint", (column) => column.notNull())
      .addColumn("source", "text")
      .addColumn("staging_file", "text")
      .addColumn("is_full", "integer")
      .addColumn("position", "bigint")
      .addColumn("url", "text")
      .addColumn("etag", "text")
      .addColumn("last_modified", "text")
      .execute();
    await db.schema
      .createTable("feeds")
      .addColumn("source", "text", (column) => column.notNull())
      .addColumn("url", "text", (column) => column.notNull())
      .addColumn("etag", "text")
      .addColumn("last_modified", "text")
      .addColumn("imported_at", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("feeds_key", ["source", "url"])
      .execute();
  },
};
