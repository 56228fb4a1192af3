import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";

export const marketplaceRequests = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema
      .createTable("marketplace_requests")
      .addColumn("marketplace", "text", (column) => column.notNull())
      .addColumn("hour", "bigint", (column) => column.notNull())
      .addColumn("count", "integer", (column) => column.notNull())
      .addPrimaryKeyConstraint("marketplace_requests_key", ["marketplace", "hour"])
      .execute();
  },
};
