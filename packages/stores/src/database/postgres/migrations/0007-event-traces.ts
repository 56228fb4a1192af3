import type { Kysely } from "kysely";
import type { Database } from "../../schema.ts";
import type { PostgresMigration } from "./migration.ts";

export const eventTraces: PostgresMigration = {
  needs: 1,
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema.alterTable("webhook_events").addColumn("traceparent", "text").execute();
  },
};
