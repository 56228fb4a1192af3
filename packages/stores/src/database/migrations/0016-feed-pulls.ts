import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";

export const feedPulls = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema
      .createTable("feed_pulls")
      .addColumn("source", "text", (column) => column.notNull())
      .addColumn("url", "text", (column) => column.notNull())
      .addColumn("period_ms", "bigint", (column) => column.notNull())
      .addColumn("absent", "text", (column) => column.notNull())
      .addColumn("next_at", "bigint", (column) => column.notNull())
      .addColumn("taken_until", "bigint", (column) => column.notNull())
      .addColumn("failures", "integer", (column) => column.notNull())
      .addColumn("attempted_at", "bigint")
      .addColumn("succeeded_at", "bigint")
      .addColumn("error", "text")
      .addColumn("result", "text")
      .addColumn("etag", "text")
      .addColumn("last_modified", "text")
      .addPrimaryKeyConstraint("feed_pulls_key", ["source", "url"])
      .execute();
  },
};
