import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";

/** Whether the last import of the feed took it for complete: an unchanged feed is still news when it now is. */
export const fullFeeds = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema
      .alterTable("feeds")
      .addColumn("is_full", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
